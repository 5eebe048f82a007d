// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/guard/cache.h"
#include "bloomery/guard/expiring_lru.h"

namespace bloomery {

// Options of a MemoryCache.
struct MemoryCacheOptions {
  std::size_t capacity = 0;  // entries, values and negative ones together
  // How much of it negative entries may take: an attack with keys that do not exist drives out as
  // many values at most. At least one entry a shard, unless it is 0.
  double negative_share = 0.125;
  std::size_t shard_count = 16;  // locks; a small cache uses fewer
  // `now`: the clock; tests bring their own.
  std::function<std::chrono::steady_clock::time_point()> now = std::chrono::steady_clock::now;
};

// How many shards a cache of these options has. Throws std::invalid_argument on a capacity or a
// shard count of zero, more than 4096 shards, a share outside [0, 1], or no clock.
std::size_t checked_shard_count(const MemoryCacheOptions& options);

// How many entries of one shard may be negative.
std::size_t negative_capacity(std::size_t capacity, double share) noexcept;

// now + ttl, or the end of time where that is further.
std::chrono::steady_clock::time_point expiry(std::chrono::steady_clock::time_point now,
                                             std::chrono::milliseconds ttl) noexcept;

// A cache in this process: at most `capacity` entries, least recently used first out, each gone
// when its time is up. Memory is taken as entries come. Keys are spread over shards with a lock
// each, and each shard keeps its share of the capacity. Values are copied outside of the locks. All
// calls may run together.
template <CacheValue Value = std::string>
class MemoryCache final : public Cache<Value> {
 public:
  // Throws std::invalid_argument, see checked_shard_count().
  explicit MemoryCache(const MemoryCacheOptions& options) : now_(options.now) {
    const std::size_t shard_count = checked_shard_count(options);
    for (std::size_t i = 0; i < shard_count; ++i) {
      const std::size_t extra = i < options.capacity % shard_count ? 1 : 0;
      const std::size_t capacity = options.capacity / shard_count + extra;
      shards_.push_back(
          std::make_unique<Shard>(capacity, negative_capacity(capacity, options.negative_share)));
    }
  }

  // Answers as Cache::get_many() says.
  void get_many(std::span<const Key> keys, std::span<CacheAnswer<Value>> answers,
                const CallContext& = {}) override {
    const auto now = now_();
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const HashedKey key = hashed(keys[i]);
      Shard& shard = shard_of(key);
      typename ExpiringLru<Value>::Found found;
      {
        const std::lock_guard lock(shard.mutex);
        found = shard.entries.get(key, now);
        answers[i].ticket = shard.generation(key);
      }
      answers[i].state = found.state;
      if (found.value) answers[i].value = *found.value;
    }
  }

  // Writes as Cache::put_many() says.
  void put_many(std::span<const CacheEntry<Value>> entries, const CallContext& = {}) override {
    const auto now = now_();
    for (const CacheEntry<Value>& entry : entries) {
      const HashedKey key = hashed(entry.key);
      Shard& shard = shard_of(key);
      const auto expires_at = expiry(now, entry.ttl);
      Stored value;
      if (entry.value != nullptr) value = std::make_shared<const Value>(*entry.value);
      const std::lock_guard lock(shard.mutex);
      if (entry.ticket && *entry.ticket != shard.generation(key)) continue;
      if (value) {
        value = shard.entries.put(key, std::move(value), expires_at);
      } else {
        shard.entries.put_negative(key, now, expires_at);
      }
    }
  }

  // Erases the keys, and refuses what was learnt of them before.
  void erase_many(std::span<const Key> keys, const CallContext& = {}) override {
    for (const Key each : keys) {
      const HashedKey key = hashed(each);
      Shard& shard = shard_of(key);
      Stored value;
      const std::lock_guard lock(shard.mutex);
      ++shard.generation(key);
      value = shard.entries.erase(key);
    }
  }

  // Entries held now, with those whose time is up but which nobody has met since.
  std::size_t size() const {
    std::size_t size = 0;
    for (const auto& shard : shards_) {
      const std::lock_guard lock(shard->mutex);
      size += shard->entries.size();
    }
    return size;
  }

 private:
  using Stored = typename ExpiringLru<Value>::Stored;

  struct alignas(64) Shard {
    Shard(std::size_t capacity, std::size_t negatives) : entries(capacity, negatives) {}

    // How often a key that shares this number was erased: the ticket. An erase refuses what is
    // under way for a 64th of the shard; what is refused is only not cached.
    std::uint64_t& generation(HashedKey key) noexcept { return generations[key.hash >> 58]; }

    mutable std::mutex mutex;
    std::array<std::uint64_t, 64> generations{};
    ExpiringLru<Value> entries;
  };

  // Chooses a shard by the middle bits: the shard's own table uses the low ones.
  Shard& shard_of(HashedKey key) noexcept {
    return *shards_[static_cast<std::uint32_t>(key.hash >> 26) % shards_.size()];
  }

  std::function<std::chrono::steady_clock::time_point()> now_;
  std::vector<std::unique_ptr<Shard>> shards_;
};

}  // namespace bloomery
