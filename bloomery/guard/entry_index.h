// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "bloomery/guard/hashed_key.h"

namespace bloomery {

// A hash table that owns its entries and is threaded through them: an entry is one allocation, and
// finding it goes from its bucket straight to it. An entry has a hashed_key() and a member `next`,
// a pointer to the next one of its bucket. The hash is keyed, so its low bits are as good as any.
// Buckets double as entries come: O(1) for all of them together. Not thread-safe.
template <class Entry>
class EntryIndex {
 public:
  EntryIndex() = default;
  EntryIndex(const EntryIndex&) = delete;
  EntryIndex& operator=(const EntryIndex&) = delete;
  ~EntryIndex() {
    for (Entry* entry : buckets_) {
      while (entry != nullptr) delete std::exchange(entry, entry->next);
    }
  }

  Entry* find(HashedKey key) const noexcept {
    if (buckets_.empty()) return nullptr;
    Entry* entry = buckets_[bucket_of(key.hash)];
    while (entry != nullptr && !(entry->hashed_key() == key)) entry = entry->next;
    return entry;
  }

  // Room for one more, so that insert() cannot throw.
  void reserve_one() {
    if (size_ < buckets_.size()) return;
    std::vector<Entry*> before(buckets_.empty() ? kFirstBuckets : 2 * buckets_.size());
    before.swap(buckets_);
    for (Entry* entry : before) {
      while (entry != nullptr) link(*std::exchange(entry, entry->next));
    }
  }

  // Inserts the entry of a key that is not in the index, after reserve_one().
  Entry& insert(std::unique_ptr<Entry> entry) noexcept {
    link(*entry);
    ++size_;
    return *entry.release();
  }

  std::unique_ptr<Entry> take_out(Entry& entry) noexcept {
    Entry** at = &buckets_[bucket_of(entry.hashed_key().hash)];
    while (*at != &entry) at = &(*at)->next;
    *at = entry.next;
    --size_;
    return std::unique_ptr<Entry>(&entry);
  }

 private:
  static constexpr std::size_t kFirstBuckets = 16;

  // The number of buckets is a power of two.
  std::size_t bucket_of(std::uint64_t hash) const noexcept { return hash & (buckets_.size() - 1); }
  void link(Entry& entry) noexcept {
    Entry*& first = buckets_[bucket_of(entry.hashed_key().hash)];
    entry.next = first;
    first = &entry;
  }

  std::vector<Entry*> buckets_;
  std::size_t size_ = 0;
};

}  // namespace bloomery
