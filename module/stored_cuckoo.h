// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "bloomery/format/byte_ranges.h"
#include "bloomery/format/redisbloom/redisbloom_cuckoo.h"
#include "bloomery/format/redisbloom/redisbloom_cuckoo_dump.h"
#include "module/server_memory.h"
#include "module/totals.h"
#include "module/value_type.h"

namespace bloomery::module {

// A cuckoo filter in a key, with its memory counted. Knows no server but its memory.
class StoredCuckoo {
 public:
  using Kept = StoredCuckoo;
  static constexpr bool is_type(ValueType type) noexcept {
    return type == ValueType::cuckoo || type == ValueType::half_cuckoo;
  }
  ValueType type() const noexcept {
    return is_incomplete() ? ValueType::half_cuckoo : ValueType::cuckoo;
  }

  explicit StoredCuckoo(redisbloom::CuckooFilter filter);
  // The further state of a filter that comes by CF.LOADCHUNK.
  struct Half {
    std::uint64_t expected_slots = 0;  // the first ones; what was added meanwhile may have more
    ByteRanges loaded{};               // of these
    redisbloom::CuckooPositions positions = redisbloom::CuckooPositions::slots;  // of its pieces
  };
  // Throws FormatError where there is no such half of the filter.
  StoredCuckoo(redisbloom::CuckooFilter filter, Half half);

  // An empty one. Throws std::bad_alloc or std::invalid_argument where there is no memory for it.
  static std::unique_ptr<StoredCuckoo> make(const redisbloom::CuckooShape& shape);
  static std::unique_ptr<StoredCuckoo> of_header(const redisbloom::CuckooShape& shape,
                                                 redisbloom::CuckooPositions positions);
  std::unique_ptr<StoredCuckoo> clone() const;

  // Slots of it are missing: what it answers "absent" for may yet come.
  bool is_incomplete() const noexcept { return half_.has_value(); }
  const Half& half() const noexcept { return *half_; }
  // Returns whether a chunk of a dump is what the filter has at that place.
  bool has(std::uint64_t position, std::span<const std::byte> slots) const;
  // A piece of a dump. False, and nothing changed, where it is none.
  bool load(std::uint64_t position, std::span<const std::byte> slots);
  // Slots as another server had them, which say nothing of what has come, and what has.
  bool fill(std::uint64_t position, std::span<const std::byte> slots);
  void came(std::uint64_t first, std::uint64_t end);
  // All that this has, for a key of another type.
  std::unique_ptr<StoredCuckoo> take_out();

  const redisbloom::CuckooFilter& filter() const noexcept { return filter_; }
  // Calls change(filter), which may add and drop sub-filters.
  template <class Change>
  auto change(Change change) {
    const CountAtEnd count{*this};
    return change(filter_);
  }

 private:
  struct CountAtEnd {
    StoredCuckoo& of;
    ~CountAtEnd() { of.note_change(); }
  };
  void note_change() noexcept;

  redisbloom::CuckooFilter filter_;
  std::uint64_t counted_sub_filters_ = 0;
  UncountedMemory uncounted_;
  CountedInTotals in_totals_{TotalsOf::cuckoo};
  std::optional<Half> half_{};  // none: it is whole
};

}  // namespace bloomery::module
