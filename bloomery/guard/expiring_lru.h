// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "bloomery/guard/cache.h"
#include "bloomery/guard/entry_index.h"
#include "bloomery/guard/hashed_key.h"
#include "bloomery/guard/recency_list.h"

namespace bloomery {

// ExpiringLru: at most `capacity` entries that expire, of them at most `negative_capacity` negative
// ones: those have a list of their own, so that strangers' keys drive out each other and no values.
// When full, the entry unused for longest goes. One shard of a MemoryCache: not thread-safe, and
// told the time. Every call is O(1), but that the index doubles now and then.
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
    Entry* const found = find_live(key, now);
    if (found == nullptr) return {};
    list_of(*found).make_newest(*found);
    return {found->value ? Cached::hit : Cached::negative, found->value};
  }

  // Returns a value that had to go, if one had, for the caller to destroy where nobody waits.
  Stored put(HashedKey key, Stored value, TimePoint expires_at) {
    if (Entry* const found = index_.find(key)) {
      return replace(*found, std::move(value), expires_at);
    }
    if (!value && negative_capacity_ == 0) return nullptr;
    index_.reserve_one();
    Stored gone;
    std::unique_ptr<Entry> entry = make_room(value == nullptr, gone);
    if (!entry) entry = std::make_unique<Entry>();
    // A long key's memory does not stay with short ones.
    if (entry->key.capacity() > kMostSpare + key.key.size()) entry->key = std::string();
    entry->key = key.key;
    entry->hash = key.hash;
    entry->value = std::move(value);
    entry->expires_at = expires_at;
    Entry& added = index_.insert(std::move(entry));
    list_of(added).add_newest(added);
    return gone;
  }

  void put_negative(HashedKey key, TimePoint now, TimePoint expires_at) {
    if (find_live(key, now) == nullptr) put(key, nullptr, expires_at);
  }

  // Returns the value, as put() does.
  Stored erase(HashedKey key) {
    Entry* const found = index_.find(key);
    return found == nullptr ? nullptr : std::move(take_out(*found)->value);
  }

  std::size_t size() const noexcept { return values_.size() + negatives_.size(); }

 private:
  static constexpr std::size_t kMostSpare = 64;

  struct Entry : RecencyLinks {
    Entry* next = nullptr;
    std::uint64_t hash = 0;
    TimePoint expires_at{};
    Stored value{};
    std::string key{};

    HashedKey hashed_key() const noexcept { return {key, hash}; }
  };

  RecencyList<Entry>& list_of(const Entry& entry) noexcept {
    return entry.value ? values_ : negatives_;
  }

  // put() never makes a value negative: put_negative() is for where nothing lives.
  Stored replace(Entry& entry, Stored value, TimePoint expires_at) {
    list_of(entry).remove(entry);
    std::swap(entry.value, value);
    entry.expires_at = expires_at;
    list_of(entry).add_newest(entry);
    return value;
  }

  // The entry that has to go, for the new one to be put in its memory; null where there is room.
  std::unique_ptr<Entry> make_room(bool for_negative, Stored& gone) noexcept {
    std::unique_ptr<Entry> oldest;
    if (for_negative && negatives_.size() >= negative_capacity_) {
      oldest = take_out(negatives_.oldest());
    } else if (size() >= capacity_) {
      oldest = take_out(values_.empty() ? negatives_.oldest() : values_.oldest());
    }
    if (oldest) gone = std::move(oldest->value);
    return oldest;
  }

  Entry* find_live(HashedKey key, TimePoint now) {
    Entry* const found = index_.find(key);
    if (found == nullptr || now < found->expires_at) return found;
    take_out(*found);
    return nullptr;
  }

  std::unique_ptr<Entry> take_out(Entry& entry) noexcept {
    list_of(entry).remove(entry);
    return index_.take_out(entry);
  }

  std::size_t capacity_;
  std::size_t negative_capacity_;
  RecencyList<Entry> values_;
  RecencyList<Entry> negatives_;
  EntryIndex<Entry> index_;
};

}  // namespace bloomery
