// SPDX-License-Identifier: Apache-2.0
#include "bloomery/cache/old_shards.h"

#include <map>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "bloomery/hash/native_hash.h"
#include "bloomery/place/watermark.h"
#include "bloomery/redis/client/server_errors.h"
#include "bloomery/redis/client/transaction.h"
#include "bloomery/text/hex_word.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kShards = 1'024;

std::uint64_t shard_of(Key key) noexcept {
  return NativeHash()(key).h2 % kShards;
}

}  // namespace

OldShards::OldShards(redis::Client& client, std::string name)
    : client_(client), name_(std::move(name)) {
  if (name_.empty() || name_.find_first_of("{}") != std::string::npos) {
    throw std::invalid_argument("was=" + name_ + ": no name of a cache, which has no { or }");
  }
}

std::string OldShards::shard_name(std::uint64_t shard) const {
  return name_ + ":{" + std::to_string(shard) + "}:";
}

void OldShards::erase_many(std::span<const Key> keys, const CallContext& context) {
  if (client_.location().way != redis::Way::cluster) {
    std::set<std::uint64_t> shards;
    for (const Key key : keys) shards.insert(shard_of(key));
    if (!keys.empty()) erase(keys, {shards.begin(), shards.end()}, context);
    return;
  }
  std::map<std::uint64_t, std::vector<Key>> parts;
  for (const Key key : keys) parts[shard_of(key)].push_back(key);
  for (const auto& [shard, part] : parts) erase(part, {shard}, context);
}

// Erases entries; nothing that was learnt before its first command is written after it.
void OldShards::erase(std::span<const Key> keys, const std::vector<std::uint64_t>& shards,
                      const CallContext& context) {
  const std::string name = client_.location().text();
  const std::string nonce = redis::next_nonce();
  redis::Request request;
  request.about(shard_name(shards.front()) + "generation");
  redis::begin_transaction(request, nonce);
  for (const std::uint64_t each : shards) {
    request.add({"SET", shard_name(each) + "generation", hex_word(Identity::random().high)});
  }
  std::vector<std::string> names{"DEL"};
  for (const Key key : keys) names.push_back((shard_name(shard_of(key)) + "=").append(key));
  request.add(std::vector<std::string_view>(names.begin(), names.end())).add({"EXEC"});
  client_.run(request, redis::Repeat::safe, context, [&](std::span<const redis::Reply> replies) {
    for (const auto& each : redis::read_exec(replies, 3 + shards.size(), nonce, name)) {
      if (each.is(redis::Reply::Type::error)) throw redis::RefusedError(name, each.text);
    }
  });
}

}  // namespace bloomery
