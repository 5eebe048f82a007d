// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "bloomery/bits/heap_words.h"
#include "bloomery/format/redisbloom/redisbloom_cuckoo_hash.h"
#include "bloomery/hash/key.h"

// RedisBloom's cuckoo filters: sub-filters of buckets of one-byte slots, 0 where a slot is free.
// Sub-filter i has bucket_count * expansion^i buckets, both powers of two.
//
//   insert   the newest sub-filter that has a free slot in one of the key's buckets; else slots of
//            the newest are moved on to their other buckets; else a new sub-filter
//   erase    one slot of the newest sub-filter that has the fingerprint; when more than a tenth of
//            the items were erased, the newest sub-filters are emptied into the older ones
//
// A filter's bytes depend on what was done with it alone, so that a replica has the same. Nothing
// here knows a server.
namespace bloomery::redisbloom {

inline constexpr std::uint64_t kMostSlotsPerBucket = 255;
inline constexpr std::uint64_t kMostKicks = 65535;
inline constexpr std::uint64_t kMostCuckooExpansion = 32768;
inline constexpr std::uint64_t kMostSubFilters = 65535;
// A command of its own grows a filter up to this many: their false positive rate has been near 1
// for long by then, and every insert looks into all.
inline constexpr std::uint64_t kMostGrownSubFilters = 4096;

struct CuckooOptions {
  std::uint64_t capacity = 1024;
  std::uint64_t bucket_size = 2;  // slots
  std::uint64_t max_iterations = 20;
  std::uint64_t expansion = 1;  // rounded up to a power of two; 0: does not grow
};

// All that a filter says of itself but its slots. Fields that are stored are not to be believed
// until check_cuckoo() has passed.
struct CuckooShape {
  std::uint64_t sub_filters = 1;
  std::uint64_t bucket_count = 1;  // of the oldest
  std::uint64_t items = 0;
  std::uint64_t deletes = 0;  // since the last compaction
  std::uint64_t bucket_size = 2;
  std::uint64_t max_iterations = 20;
  std::uint64_t expansion = 1;
  CuckooHash hash = CuckooHash::murmur_64;
};

// Throw std::invalid_argument, saying what and why, for what is impossible. Allocate nothing.
CuckooShape cuckoo_shape(const CuckooOptions& options);
void check_cuckoo(const CuckooShape& shape);

// Sizes of a shape that was checked.
std::uint64_t sub_filter_bytes(const CuckooShape& shape, std::uint64_t i) noexcept;
std::uint64_t slot_bytes(const CuckooShape& shape) noexcept;
// The memory that RedisBloom reports for the filter.
std::uint64_t memory_bytes(const CuckooShape& shape) noexcept;

enum class CuckooInsert : std::uint8_t { added, present, full, no_memory };

// How many steps may be spent on moving slots, over any number of inserts. An insert that would
// need more says `full`, and changes nothing.
struct CuckooWork {
  std::uint64_t steps = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t most_sub_filters = kMostSubFilters;  // that it may grow to
};

class CuckooFilter {
 public:
  // Empty. Throws std::bad_alloc, or std::invalid_argument for more than the machine's memory.
  explicit CuckooFilter(const CuckooShape& shape);
  // Makes a filter over given slots: words of sub_filter_bytes() for each sub-filter.
  CuckooFilter(const CuckooShape& shape, std::vector<HeapWords> slots);

  CuckooFilter clone() const;

  CuckooInsert insert(Key key, CuckooWork& work) noexcept;
  CuckooInsert insert_new(Key key, CuckooWork& work) noexcept;  // unless it seems to be there
  // One after the other, with the memory of several asked for at once.
  void insert_many(std::span<const Key> keys, bool only_new, CuckooInsert* became,
                   CuckooWork& work) noexcept;

  bool may_contain(Key key) const noexcept;
  void may_contain_many(std::span<const Key> keys, bool* found) const noexcept;
  // Slots that may be the key's. One that both buckets are the same bucket for counts twice.
  std::uint64_t count(Key key) const noexcept;

  // One slot of the key's, if there is any. Compacts by itself up to a size that takes moments.
  bool erase(Key key) noexcept;
  // Moves what newer sub-filters hold into older ones. Whether anything changed.
  bool compact() noexcept;

  const CuckooShape& shape() const noexcept { return shape_; }
  std::span<const std::byte> slots(std::size_t i) const noexcept;
  std::span<std::byte> slots(std::size_t i) noexcept;

 private:
  struct SubFilter {
    HeapWords words;
    std::uint64_t mask;  // buckets less one
    std::uint8_t* slots;
  };
  // A key's place in any sub-filter, before the mask.
  struct Place {
    std::uint64_t bucket;
    std::uint64_t other;
    std::uint8_t fingerprint;
  };

  void add_sub_filter(HeapWords words);
  bool grow(std::uint64_t most_sub_filters) noexcept;
  Place place_of(std::uint64_t hash) const noexcept;
  std::uint8_t* bucket(const SubFilter& sub, std::uint64_t hash) const noexcept;
  std::uint8_t* find(std::uint8_t* bucket, std::uint8_t fingerprint) const noexcept;
  std::uint8_t* find(const SubFilter& sub, const Place& place, std::uint8_t wanted) const noexcept;
  bool has(const Place& place) const noexcept;
  CuckooInsert insert_hash(std::uint64_t hash, bool only_new, CuckooWork& work) noexcept;
  bool kick(const Place& place, CuckooWork& work) noexcept;
  void ask_for(const SubFilter& sub, std::uint64_t hash) const noexcept;
  bool is_far() const noexcept;
  bool is_short_to_compact() const noexcept;
  bool compact(bool goes_on) noexcept;
  bool empty_into_older(std::size_t from, bool& moved) noexcept;

  CuckooShape shape_;
  std::vector<SubFilter> subs_;
};

}  // namespace bloomery::redisbloom
