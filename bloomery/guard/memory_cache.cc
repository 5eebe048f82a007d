// SPDX-License-Identifier: Apache-2.0
#include "bloomery/guard/memory_cache.h"

#include <algorithm>
#include <stdexcept>

namespace bloomery {
namespace {

constexpr std::size_t kMaxShards = 4096;
// Fewer entries a shard than this, and the uneven spread of keys would waste much of the capacity.
constexpr std::size_t kMinShardCapacity = 64;

}  // namespace

std::size_t checked_shard_count(const MemoryCacheOptions& options) {
  if (options.capacity == 0) {
    throw std::invalid_argument("memory cache: capacity is 0; at least 1 entry is needed");
  }
  if (options.shard_count == 0 || options.shard_count > kMaxShards) {
    throw std::invalid_argument("memory cache: shard_count is " +
                                std::to_string(options.shard_count) + "; allowed are 1 to " +
                                std::to_string(kMaxShards));
  }
  // Written so that NaN fails.
  if (!(options.negative_share >= 0 && options.negative_share <= 1)) {
    throw std::invalid_argument("memory cache: negative_share is " +
                                std::to_string(options.negative_share) + "; allowed are 0 to 1");
  }
  if (!options.now) throw std::invalid_argument("memory cache: no clock was given");
  return std::clamp<std::size_t>(options.capacity / kMinShardCapacity, 1, options.shard_count);
}

std::size_t negative_capacity(std::size_t capacity, double share) noexcept {
  if (share == 0) return 0;
  if (share == 1) return capacity;  // which a double need not hold
  const double count = static_cast<double>(capacity) * share;
  return count < 1 ? 1 : static_cast<std::size_t>(count);
}

std::chrono::steady_clock::time_point expiry(std::chrono::steady_clock::time_point now,
                                             std::chrono::milliseconds ttl) noexcept {
  using TimePoint = std::chrono::steady_clock::time_point;
  const auto left = std::chrono::floor<std::chrono::milliseconds>(TimePoint::max() - now);
  return ttl < left ? now + ttl : TimePoint::max();
}

}  // namespace bloomery
