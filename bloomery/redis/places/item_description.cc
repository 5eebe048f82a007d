// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/places/item_description.h"

#include <charconv>
#include <optional>
#include <string_view>

#include "bloomery/errors.h"
#include "bloomery/filter/filter_kinds.h"
#include "bloomery/format/format.h"
#include "bloomery/format/kinds.h"
#include "bloomery/format/redisbloom/redisbloom_probes.h"
#include "bloomery/place/watermark_text.h"
#include "bloomery/redis/client/server_errors.h"
#include "bloomery/redis/client/transaction.h"

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

// Returns whether the server lacks the command. A refusal for want of permission does not count: it
// comes from a server that has our module, but does not let this user ask.
bool takes_no_such_command(const Reply& reply) {
  return reply.is(Reply::Type::error) && refusal_of(reply.text) == Refusal::unknown_command;
}

}  // namespace

bool ItemDescription::has_watermark() const noexcept {
  return !is_foreign(kind) && !forgets;
}

std::optional<ItemDescription> describe_items(const Reply& info, const std::string& name) {
  if (info.is(Reply::Type::error) && !takes_no_such_command(info)) return std::nullopt;
  const auto unknown = [&](const char* what, const std::string& said) {
    throw StoreError(name + ": " + what + " \"" + said + "\", which this program does not know");
  };
  ItemDescription described{.kind = redisbloom::Probes::kKind};
  for (std::size_t i = 0; i + 1 < info.elements.size(); i += 2) {
    const std::string& field = info.elements[i].text;
    const Reply& value = info.elements[i + 1];
    if (field == "Identity") described.identity = identity_in(value, name);
    if (!value.is(Reply::Type::text)) continue;
    if (field == "Kind") {
      const auto kind = find_kind_named(value.text);
      if (!kind) unknown("a filter of the kind", value.text);
      described.kind = *kind;
      described.forgets = loses_keys(*kind);
    } else if (field == "Keys") {
      const auto form = read_form_text(value.text);
      if (!form) unknown("its keys are written as", value.text);
      described.keys = *form;
    } else if (field == "Error rate asked") {
      const std::string& text = value.text;
      std::from_chars(text.data(), text.data() + text.size(), described.false_positive_rate);
    }
  }
  return described;
}

Identity identity_in(const Reply& value, const std::string& name) {
  if (value.is(Reply::Type::nil)) return {};
  const auto identity = read_identity(value.text);
  if (!identity) fail_answer(name, "an identity");
  return *identity;
}

bool knows_watermark(const Reply& reply) {
  return !takes_no_such_command(reply) && !reply.text.starts_with("ERR wrong number of arguments");
}

FilterNow filter_now(const Reply& reply, const std::string& name) {
  if (!reply.is(Reply::Type::array) || reply.elements.size() != 3) fail_answer(name, "a watermark");
  const Reply& position = reply.elements[2];
  if (!position.is(Reply::Type::number)) fail_answer(name, "a watermark");
  FilterNow now{.filter = identity_in(reply.elements[0], name)};
  const Identity source = identity_in(reply.elements[1], name);
  // Positions above 2^63 come as negative numbers.
  if (source.is_set()) now.reached = {source, static_cast<std::uint64_t>(position.number)};
  return now;
}

}  // namespace bloomery::redis
