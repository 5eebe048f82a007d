#pragma once

#include <chrono>
#include <cstddef>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "bloomery/guard/cache.h"
#include "bloomery/guard/hashed_key.h"

namespace bloomery {

// At most `capacity` entries that expire, of them at most `negative_capacity` negative ones: those
// have a list of their own, so that strangers' keys drive out each other and no values. When full,
// the entry unused for longest goes. One shard of a MemoryCache: not thread-safe, and told the
// time. Every call is O(1).
template <class Value>
class ExpiringLru {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  using Stored = std::shared_ptr<const Value>;  // null: a negative entry

  struct Found {
    Cached state = Cached::miss;
    Stored value{};
  };

  ExpiringLru(std::size_t capacity, std::size_t negative_capacity)
      : capacity_(capacity), negative_capacity_(negative_capacity) {}

  Found get(HashedKey key, TimePoint now) {
    const auto found = find_live(key, now);
    if (found == index_.end()) return {};
    Entries& list = list_of(*found->second);
    list.splice(list.begin(), list, found->second);
    const Stored& value = found->second->value;
    return {value ? Cached::hit : Cached::negative, value};
  }

  // Returns a value that had to go, if one had, for the caller to destroy where nobody waits.
  Stored put(HashedKey key, Stored value, TimePoint expires_at) {
    if (const auto found = index_.find(key); found != index_.end()) {
      return replace(*found->second, std::move(value), expires_at, found->second);
    }
    Entries& list = value ? values_ : negatives_;
    if (!value && negative_capacity_ == 0) return nullptr;
    Stored gone;
    if (!value && negatives_.size() >= negative_capacity_) {
      drop_oldest(negatives_);
    } else if (size() >= capacity_) {
      gone = drop_oldest(values_.empty() ? negatives_ : values_);
    }
    list.push_front({std::string(key.key), key.hash, std::move(value), expires_at});
    try {
      index_.emplace(list.front().hashed_key(), list.begin());
    } catch (...) {
      list.pop_front();
      throw;
    }
    return gone;
  }

  void put_negative(HashedKey key, TimePoint now, TimePoint expires_at) {
    if (find_live(key, now) == index_.end()) put(key, nullptr, expires_at);
  }

  // Returns the value, as put() does.
  Stored erase(HashedKey key) {
    const auto found = index_.find(key);
    return found == index_.end() ? nullptr : drop(found);
  }

  std::size_t size() const noexcept { return values_.size() + negatives_.size(); }

 private:
  struct Entry {
    std::string key;
    std::uint64_t hash;
    Stored value;
    TimePoint expires_at;

    HashedKey hashed_key() const noexcept { return {key, hash}; }
  };
  using Entries = std::list<Entry>;  // the most recently used first
  using Place = typename Entries::iterator;
  // Views the keys of the entries, which a list never moves.
  using Index = std::unordered_map<HashedKey, Place, HashedKeyHash>;

  Entries& list_of(const Entry& entry) noexcept { return entry.value ? values_ : negatives_; }

  // put() never makes a value negative: put_negative() is for where nothing lives.
  Stored replace(Entry& entry, Stored value, TimePoint expires_at, Place place) {
    Entries& from = list_of(entry);
    std::swap(entry.value, value);
    entry.expires_at = expires_at;
    Entries& to = list_of(entry);
    to.splice(to.begin(), from, place);
    return value;
  }

  typename Index::iterator find_live(HashedKey key, TimePoint now) {
    const auto found = index_.find(key);
    if (found == index_.end() || now < found->second->expires_at) return found;
    drop(found);
    return index_.end();
  }

  Stored drop_oldest(Entries& list) { return drop(index_.find(list.back().hashed_key())); }

  Stored drop(typename Index::iterator found) {
    const Place entry = found->second;
    index_.erase(found);
    Entries& list = list_of(*entry);
    Stored value = std::move(entry->value);
    list.erase(entry);
    return value;
  }

  std::size_t capacity_;
  std::size_t negative_capacity_;
  Entries values_;
  Entries negatives_;
  Index index_;
};

}  // namespace bloomery
