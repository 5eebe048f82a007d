#pragma once

#include <chrono>
#include <cstddef>
#include <list>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "bloomery/guard/cache.h"
#include "bloomery/guard/hashed_key.h"

namespace bloomery {

// At most `capacity` entries that expire; when full, the one unused for longest goes. One shard of
// a MemoryCache: not thread-safe, and told the time. Every call is O(1).
template <class Value>
class ExpiringLru {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  explicit ExpiringLru(std::size_t capacity) : capacity_(capacity) {}

  CacheAnswer<Value> get(HashedKey key, TimePoint now) {
    const auto found = find_live(key, now);
    if (found == index_.end()) return {};
    entries_.splice(entries_.begin(), entries_, found->second);
    const std::optional<Value>& value = found->second->value;
    return {value ? Cached::hit : Cached::negative, value};
  }

  // nullopt is a negative entry.
  void put(HashedKey key, std::optional<Value> value, TimePoint expires_at) {
    if (const auto found = index_.find(key); found != index_.end()) {
      found->second->value = std::move(value);
      found->second->expires_at = expires_at;
      entries_.splice(entries_.begin(), entries_, found->second);
      return;
    }
    if (entries_.size() == capacity_) drop(index_.find(entries_.back().hashed_key()));
    entries_.push_front({std::string(key.key), key.hash, std::move(value), expires_at});
    try {
      index_.emplace(entries_.front().hashed_key(), entries_.begin());
    } catch (...) {
      entries_.pop_front();
      throw;
    }
  }

  void put_negative(HashedKey key, TimePoint now, TimePoint expires_at) {
    if (find_live(key, now) == index_.end()) put(key, std::nullopt, expires_at);
  }

  void erase(HashedKey key) {
    if (const auto found = index_.find(key); found != index_.end()) drop(found);
  }

  std::size_t size() const noexcept { return entries_.size(); }

 private:
  struct Entry {
    std::string key;
    std::uint64_t hash;
    std::optional<Value> value;
    TimePoint expires_at;

    HashedKey hashed_key() const noexcept { return {key, hash}; }
  };
  using Entries = std::list<Entry>;  // the most recently used first
  // Views the keys of the entries, which a list never moves.
  using Index = std::unordered_map<HashedKey, typename Entries::iterator, HashedKeyHash>;

  typename Index::iterator find_live(HashedKey key, TimePoint now) {
    const auto found = index_.find(key);
    if (found == index_.end() || now < found->second->expires_at) return found;
    drop(found);
    return index_.end();
  }

  void drop(typename Index::iterator found) {
    const auto entry = found->second;
    index_.erase(found);
    entries_.erase(entry);
  }

  std::size_t capacity_;
  Entries entries_;
  Index index_;
};

}  // namespace bloomery
