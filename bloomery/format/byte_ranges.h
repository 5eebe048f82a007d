// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>

namespace bloomery {

// The bytes of a whole that have come, in pieces of any order that may overlap.
class ByteRanges {
 public:
  // Bytes from `first` up to, but not, `end`. What then touches or overlaps becomes one range.
  void add(std::uint64_t first, std::uint64_t end) {
    if (first >= end) return;
    auto each = ranges_.upper_bound(first);
    if (each != ranges_.begin() && std::prev(each)->second >= first) --each;
    while (each != ranges_.end() && each->first <= end) {
      first = std::min(first, each->first);
      end = std::max(end, each->second);
      byte_count_ -= each->second - each->first;
      each = ranges_.erase(each);
    }
    ranges_.emplace(first, end);
    byte_count_ += end - first;
  }

  std::uint64_t byte_count() const noexcept { return byte_count_; }

  // Returns the ranges, each from its first byte to one behind its last; apart from each other, in
  // order.
  const std::map<std::uint64_t, std::uint64_t>& all() const noexcept { return ranges_; }

 private:
  std::map<std::uint64_t, std::uint64_t> ranges_{};
  std::uint64_t byte_count_ = 0;
};

}  // namespace bloomery
