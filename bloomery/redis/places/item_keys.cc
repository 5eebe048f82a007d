// SPDX-License-Identifier: Apache-2.0
// Filters of BF.* and their markers: their keys, and what makes and removes them.
#include "bloomery/redis/places/item_keys.h"

#include <cstdint>
#include <string_view>

#include "bloomery/place/watermark.h"
#include "bloomery/place/watermark_text.h"
#include "bloomery/redis/client/server_errors.h"
#include "bloomery/redis/client/transaction.h"
#include "bloomery/redis/places/key_beside.h"
#include "bloomery/redis/places/key_type.h"
#include "bloomery/text/shortest.h"

namespace bloomery::redis {
namespace {

constexpr std::size_t kMarkers = 8;

std::int64_t with_item_keys(Client& client, std::string_view command) {
  std::int64_t sum = 0;
  // A command each: in a cluster the two keys may be apart.
  for (const std::string& key : item_keys(client.location())) {
    const Answer answer = client.run(Request().add({command, key}).about(key), Repeat::safe);
    sum += require_done(answer.replies.at(0), client.location()).number;
  }
  return sum;
}

}  // namespace

std::vector<std::string> markers_of(const std::string& token) {
  std::vector<std::string> markers;
  for (std::size_t i = 0; i < kMarkers; ++i) {
    markers.push_back("bloomery-marker:" + token + ":" + std::to_string(i));
  }
  return markers;
}

std::vector<std::string> item_keys(const Location& location) {
  const std::string& key = location.key;
  const bool tagged = key.find('{') != std::string::npos;
  return {key, (tagged ? key : "{" + key + "}") + ":markers"};
}

std::vector<bool> item_flags(const Reply& reply, std::size_t count, const std::string& name,
                             bool is_fenced) {
  if (!reply.is(Reply::Type::array)) fail_answer(name, "its items");
  // An array may end with the first error.
  for (const Reply& each : reply.elements) {
    if (each.is(Reply::Type::error)) throw RefusedError(name, each.text);
  }
  if (reply.elements.size() != count) fail_answer(name, "its items");
  std::vector<bool> flags;
  for (const Reply& each : reply.elements) {
    if (is_fenced && each.is(Reply::Type::nil)) {
      flags.push_back(false);
      continue;
    }
    if (!each.is(Reply::Type::number) || (each.number != 0 && each.number != 1)) {
      fail_answer(name, "an item");
    }
    flags.push_back(each.number == 1);
  }
  return flags;
}

bool are_items_taken(Client& client) {
  return with_item_keys(client, "EXISTS") != 0;
}

bool destroy_items(Client& client) {
  return with_item_keys(client, "DEL") != 0;
}

void reserve_items(Client& client, std::uint64_t capacity, double rate, const std::string& token,
                   std::string_view milliseconds) {
  const Location& location = client.location();
  const std::string& key = location.key;
  const std::string name = "bf:" + location.text();
  // The markers are items too.
  const std::string count = std::to_string(capacity + kMarkers);
  const std::string nonce = next_nonce();
  Request reserve;
  begin_transaction(reserve, nonce);
  reserve.add({"BF.RESERVE", key, shortest(rate), count});
  if (!milliseconds.empty()) reserve.add({"PEXPIRE", key, milliseconds});
  reserve.add({"EXEC"});
  const Answer reserved = client.run(reserve, Repeat::never);
  const auto& all = read_exec(reserved.replies, milliseconds.empty() ? 3 : 4, nonce, name);
  require_none_there(all[2], name);
  for (const Reply& each : all) require_done(each, location);
  const auto markers = markers_of(token);
  std::vector<std::string_view> words{"BF.INSERT", key, "NOCREATE", "ITEMS"};
  words.insert(words.end(), markers.begin(), markers.end());
  const Answer added = client.run(Request().add(words), Repeat::safe);
  item_flags(require_done(added.replies.at(0), location), kMarkers, location.server());
}

void create_items(Client& client, std::uint64_t capacity, double rate) {
  const std::string token = identity_text(Identity::random());
  const std::string key = item_keys(client.location())[1];
  const std::string type = key_type(client, key);
  if (type != "none" && type != "string") {
    throw StoreError("bf:" + client.location().text() + ": its markers would be in the key " + key +
                     ", which holds something else (WRONGTYPE)");
  }
  reserve_items(client, capacity, rate, token);
  const Request note = Request().add({"SET", key, token}).about(key);
  require_done(client.run(note, Repeat::safe).replies.at(0), client.location());
}

}  // namespace bloomery::redis
