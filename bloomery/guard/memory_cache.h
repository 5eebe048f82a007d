#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "bloomery/guard/cache.h"
#include "bloomery/guard/expiring_lru.h"

namespace bloomery {

struct MemoryCacheOptions {
  std::size_t capacity = 0;      // entries, values and negative ones together
  std::size_t shard_count = 16;  // locks; a small cache uses fewer
  // What time it is; tests bring their own.
  std::function<std::chrono::steady_clock::time_point()> now = std::chrono::steady_clock::now;
};

// How many shards a cache of these options has. Throws std::invalid_argument on a capacity or a
// shard count of zero, more than 4096 shards, or no clock.
std::size_t checked_shard_count(const MemoryCacheOptions& options);

// now + ttl, or the end of time where that is further.
std::chrono::steady_clock::time_point expiry(std::chrono::steady_clock::time_point now,
                                             std::chrono::milliseconds ttl) noexcept;

// A cache in this process: at most `capacity` entries, least recently used first out, each gone
// when its time is up. Memory is taken as entries come. Keys are spread over shards with a lock
// each, and each shard keeps its share of the capacity. All calls may run together.
template <class Value = std::string>
class MemoryCache final : public Cache<Value> {
 public:
  // Throws std::invalid_argument, see checked_shard_count().
  explicit MemoryCache(const MemoryCacheOptions& options) : now_(options.now) {
    const std::size_t shard_count = checked_shard_count(options);
    for (std::size_t i = 0; i < shard_count; ++i) {
      const std::size_t extra = i < options.capacity % shard_count ? 1 : 0;
      shards_.push_back(std::make_unique<Shard>(options.capacity / shard_count + extra));
    }
  }

  void get_many(std::span<const Key> keys, std::span<CacheAnswer<Value>> answers) override {
    const auto now = now_();
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const HashedKey key = hashed(keys[i]);
      Shard& shard = shard_of(key);
      const std::lock_guard lock(shard.mutex);
      answers[i] = shard.entries.get(key, now);
    }
  }

  void put(Key key, const Value& value, std::chrono::milliseconds ttl) override {
    const HashedKey hashed_key = hashed(key);
    Shard& shard = shard_of(hashed_key);
    const auto expires_at = expiry(now_(), ttl);
    const std::lock_guard lock(shard.mutex);
    shard.entries.put(hashed_key, value, expires_at);
  }

  void put_negative(Key key, std::chrono::milliseconds ttl) override {
    const HashedKey hashed_key = hashed(key);
    Shard& shard = shard_of(hashed_key);
    const auto now = now_();
    const std::lock_guard lock(shard.mutex);
    shard.entries.put_negative(hashed_key, now, expiry(now, ttl));
  }

  void erase(Key key) override {
    const HashedKey hashed_key = hashed(key);
    Shard& shard = shard_of(hashed_key);
    const std::lock_guard lock(shard.mutex);
    shard.entries.erase(hashed_key);
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
  struct alignas(64) Shard {
    explicit Shard(std::size_t capacity) : entries(capacity) {}

    mutable std::mutex mutex;
    ExpiringLru<Value> entries;
  };

  // By the high half: the shard's own table uses the low bits.
  Shard& shard_of(HashedKey key) noexcept { return *shards_[(key.hash >> 32) % shards_.size()]; }

  std::function<std::chrono::steady_clock::time_point()> now_;
  std::vector<std::unique_ptr<Shard>> shards_;
};

}  // namespace bloomery
