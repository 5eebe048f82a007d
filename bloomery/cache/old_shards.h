// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bloomery/hash/key.h"
#include "bloomery/place/call_context.h"
#include "bloomery/redis/client/client.h"

namespace bloomery {

// Erases what a RedisCache of earlier versions has, for as long as such processes run: entries
// `NAME:{SHARD}:=KEY` count while `NAME:{SHARD}:generation`, of 1,024, is as it was. All calls may
// run together.
class OldShards {
 public:
  // The client outlives it. Throws std::invalid_argument on a name with { or }.
  OldShards(redis::Client& client, std::string name);

  // In one transaction; in a cluster in one for each shard. Throws what redis::Client::run()
  // throws, and RefusedError: then it has erased nothing for sure, and may be called again.
  void erase_many(std::span<const Key> keys, const CallContext& context);

 private:
  void erase(std::span<const Key> keys, const std::vector<std::uint64_t>& shards,
             const CallContext& context);
  std::string shard_name(std::uint64_t shard) const;

  redis::Client& client_;
  const std::string name_;
};

}  // namespace bloomery
