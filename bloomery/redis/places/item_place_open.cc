// SPDX-License-Identifier: Apache-2.0
// A filter that its server asks, opened: what its markers and BLOOM.INFO say of it.
#include <string>
#include <string_view>
#include <utility>

#include "bloomery/format/kinds.h"
#include "bloomery/format/settings.h"
#include "bloomery/redis/client/server_errors.h"
#include "bloomery/redis/places/item_description.h"
#include "bloomery/redis/places/item_keys.h"
#include "bloomery/redis/places/item_place.h"
#include "bloomery/redis/places/live_bitmap.h"

namespace bloomery::redis {

std::unique_ptr<FilterPlace> open_item_place(Dialect dialect, std::string_view text, bool writes,
                                             bool allow_forgetting) {
  Location location = parse_location(text);
  ItemDialect::Setup setup{.dialect = dialect, .may_forget = allow_forgetting};
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
  const Reply& said = answer.replies.at(0);
  if (said.is(Reply::Type::error) && refusal_of(said.text) == Refusal::no_permission) {
    require_done(said, client->location());
  }
  setup.tells_watermark = knows_watermark(answer.replies.at(1));
  setup.described = describe_items(said, setup.name);
  const bool forgets = setup.described && setup.described->forgets;
  if (forgets && !allow_forgetting) refuse_forgetting(setup.name);
  const Location there = client->location();
  return std::make_unique<ServerPlace>(
      std::make_unique<ItemDialect>(std::move(client), std::move(setup)), there, writes);
}

}  // namespace bloomery::redis
