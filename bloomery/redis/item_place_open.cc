// A filter that its server asks, opened: what its markers and BLOOM.INFO say of it.
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "bloomery/errors.h"
#include "bloomery/filter/filter_kinds.h"
#include "bloomery/format/format.h"
#include "bloomery/format/kinds.h"
#include "bloomery/format/settings.h"
#include "bloomery/redis/errors.h"
#include "bloomery/redis/item_keys.h"
#include "bloomery/redis/item_place.h"
#include "bloomery/redis/live_bitmap.h"
#include "bloomery/text/key_form.h"

namespace bloomery::redis {
namespace {

std::optional<FilterKind> find_kind_named(std::string_view name) {
  for (const Kind& kind : filter_kinds()) {
    if (kind.name == name) return kind.number;
  }
  for (const Format* const format : formats()) {
    for (const Kind* const kind : format->kinds) {
      if (kind->name == name) return kind->number;
    }
  }
  return std::nullopt;
}

// What BLOOM.INFO says; nothing where there is no filter, or no such command.
void describe(const Reply& info, ItemPlace::Setup& setup) {
  const auto unknown = [&](const char* what, const std::string& name) {
    throw StoreError(setup.name + ": " + what + " \"" + name +
                     "\", which this program does not know");
  };
  for (std::size_t i = 0; i + 1 < info.elements.size(); i += 2) {
    const std::string& name = info.elements[i].text;
    const Reply& value = info.elements[i + 1];
    if (!value.is(Reply::Type::text)) continue;
    if (name == "Kind") {
      const auto kind = find_kind_named(value.text);
      if (!kind) unknown("a filter of the kind", value.text);
      setup.kind = *kind;
      setup.forgets = loses_keys(*kind);
    } else if (name == "Keys") {
      const auto form = read_form_text(value.text);
      if (!form) unknown("its keys are written as", value.text);
      setup.keys = *form;
    }
  }
}

}  // namespace

bool knows_watermark(const Reply& reply) {
  if (!reply.is(Reply::Type::error)) return true;
  const Refusal refusal = refusal_of(reply.text);
  return refusal != Refusal::unknown_command && refusal != Refusal::no_permission &&
         !reply.text.starts_with("ERR wrong number of arguments");
}

bool ItemPlace::Setup::has_watermark() const noexcept {
  return dialect == Dialect::bloom && !is_foreign(kind) && !forgets;
}

std::unique_ptr<FilterPlace> open_item_place(Dialect dialect, std::string_view text, bool writes,
                                             bool allow_forgetting) {
  Location location = parse_location(text);
  ItemPlace::Setup setup{.dialect = dialect, .writes = writes};
  setup.says_absent = take_trust(location) || dialect == Dialect::bloom;
  setup.name = (dialect == Dialect::bf ? "bf:" : "bloom:") + location.text();
  refuse_settings(location.settings, setup.name, "the server says all");
  auto client = std::make_unique<Client>(std::move(location));
  const auto keys = item_keys(client->location());
  if (dialect == Dialect::bf) {
    const Answer answer = client->run(Request().add({"GET", keys[1]}).about(keys[1]), Repeat::safe);
    const Reply& token = require_done(answer.replies.at(0), client->location());
    if (token.is(Reply::Type::text)) setup.markers = markers_of(token.text);
    setup.says_absent = setup.says_absent || !setup.markers.empty();
  }
  // A server without our module does not know the command.
  Request info;
  info.add({"BLOOM.INFO", keys[0]}).add({"BLOOM.INFO", keys[0], "WATERMARK"}).about(keys[0]);
  const Answer answer = client->run(info, Repeat::safe);
  describe(answer.replies.at(0), setup);
  setup.tells_watermark = setup.has_watermark() && knows_watermark(answer.replies.at(1));
  if (setup.forgets && !allow_forgetting) refuse_forgetting(setup.name);
  return std::make_unique<ItemPlace>(std::move(client), std::move(setup));
}

}  // namespace bloomery::redis
