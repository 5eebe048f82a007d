// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/places/item_load.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "bloomery/errors.h"
#include "bloomery/format/settings.h"
#include "bloomery/place/watermark_text.h"
#include "bloomery/redis/client/hash_slot.h"
#include "bloomery/redis/client/script.h"
#include "bloomery/redis/client/server_errors.h"
#include "bloomery/redis/places/item_keys.h"
#include "bloomery/redis/places/item_place.h"
#include "bloomery/redis/places/key_beside.h"
#include "bloomery/redis/places/live_bitmap.h"

namespace bloomery::redis {
namespace {

// KEYS: the filter, the key beside it, its markers. ARGV: how many items the second has, whether
// what is there is thrown away, and the name of the second's markers.
constexpr auto kExchangeItems = joined(kExpiryOf, R"(
local live, next, markers = KEYS[1], KEYS[2], KEYS[3]
local info, count = redis.pcall('BF.INFO', next), nil
for i = 1, #info - 1 do
  local name = type(info[i]) == 'table' and info[i].ok or info[i]
  if name == 'Number of items inserted' then count = info[i + 1] end
end
if count ~= tonumber(ARGV[1]) then return 'lost' end
if ARGV[2] == 'new' and redis.call('EXISTS', live, markers) > 0 then return 'taken' end
local found = redis.call('TYPE', live).ok
if found ~= 'none' and found ~= redis.call('TYPE', next).ok then return 'type' end
local noted = redis.call('TYPE', markers).ok
if noted ~= 'none' and noted ~= 'string' then return 'type' end
-- A script that dies is not undone: what may be refused is tried where it changes nothing.
redis.call('RENAME', next, next)
local at = expiry_of(live)
if at then redis.call('PEXPIREAT', next, at) else redis.call('PERSIST', next) end
redis.call('SET', markers, ARGV[3], 'KEEPTTL')
redis.call('RENAME', next, live)
return 'done'
)");

Location without_trust(Location location) {
  take_trust(location);
  refuse_settings(location.settings, "bf:" + location.text(), "the server says all");
  return location;
}

}  // namespace

ItemLoad::ItemLoad(Location location, bool discards)
    : name_("bf:" + location.text()),
      client_(without_trust(std::move(location))),
      discards_(discards),
      next_(name_beside(client_.location().key)),
      token_(identity_text(Identity::random())) {}

// The destructor is there for what this leaves, from here on.
ItemLoad::ItemLoad(Location location, std::uint64_t capacity, double rate, bool discards)
    : ItemLoad(std::move(location), discards) {
  require_one_slot();
  Location beside = client_.location();
  beside.key = next_;
  auto client = std::make_unique<Client>(std::move(beside));
  reserve_items(*client, capacity, rate, token_, kMostIdle);
  const Location there = client->location();
  place_ = std::make_unique<ServerPlace>(
      std::make_unique<ItemDialect>(
          std::move(client),
          ItemDialect::Setup{.dialect = Dialect::bf, .name = name_, .markers = markers_of(token_)}),
      there, /*writes=*/true);
  item_count_ = place_->head().inserted;
}

ItemLoad::~ItemLoad() {
  if (is_done_) return;
  try {
    run({"DEL", next_});
  } catch (const std::exception&) {
    // The key beside the filter has an hour to live.
  }
}

Answer ItemLoad::run(std::initializer_list<std::string_view> words) {
  return client_.run(Request().add(words).about(next_), Repeat::safe);
}

// A cluster exchanges no keys of several slots, and says so to whoever names them.
void ItemLoad::require_one_slot() {
  const auto keys = item_keys(client_.location());
  if (hash_slot(keys[0]) == hash_slot(keys[1])) return;
  const Request ask = Request().add({"EVAL", "return 1", "2", keys[0], keys[1]}).about(keys[0]);
  const Reply reply = client_.run(ask, Repeat::safe).replies.at(0);
  if (reply.is(Reply::Type::error) && reply.text.starts_with("CROSSSLOT ")) {
    throw StoreError(name_ + ": in a cluster its markers, the key " + keys[1] +
                     ", are in another slot than its own key, so that no load can exchange both in "
                     "one step; a key without { and }, or with a part in {braces}, can be loaded");
  }
  require_done(reply, client_.location());
}

void ItemLoad::keep_alive() {
  const Answer answer = run({"PEXPIRE", next_, kMostIdle});
  if (require_done(answer.replies.at(0), client_.location()).number != 1) {
    refuse_exchange("lost", name_);
  }
}

void ItemLoad::insert_many(std::span<const Key> keys) {
  outcomes_.assign(keys.size(), Inserted::unknown);
  try {
    place_->insert_many(keys, outcomes_);
  } catch (const ConnectionError&) {
    throw;
  } catch (const StoreError&) {
    keep_alive();  // says so where it is gone
    throw;
  }
  keep_alive();
  if (std::ranges::find(outcomes_, Inserted::unknown) != outcomes_.end()) {
    throw StoreError(name_ +
                     ": the connection was cut, and how many items have come is not known; load "
                     "it again");
  }
  item_count_ += static_cast<std::uint64_t>(std::ranges::count(outcomes_, Inserted::added));
}

void ItemLoad::finish() {
  const auto keys = item_keys(client_.location());
  const std::string count = std::to_string(item_count_);
  const Request exchange = Request()
                               .add({"EVAL", kExchangeItems, "3", keys[0], next_, keys[1], count,
                                     discards_ ? "drop" : "new", token_})
                               .about(keys[0]);
  const Answer answer = client_.run(exchange, Repeat::never);
  const std::string& said = require_done(answer.replies.at(0), client_.location()).text;
  if (said != "done") refuse_exchange(said, name_);
  is_done_ = true;
}

}  // namespace bloomery::redis
