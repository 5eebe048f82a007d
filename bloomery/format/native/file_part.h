// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "bloomery/bits/bit_storage.h"
#include "bloomery/hash/hash_pair.h"

namespace bloomery {

// One of several strings that hold the lines of one blocked filter, in their order: part i of n
// has those from floor(i * lines / n) on. So the top bits of what chooses a key's line choose its
// part, the parts differ by a line at most, and together they are the body of the filter's file.
//
// Part n, which has no line, stands for all of them.
struct FilePart {
  std::uint32_t index = 0;
  std::uint32_t count = 0;
  std::uint64_t bit_count = 0;  // of the whole filter

  bool is_index() const noexcept { return index == count; }
  std::uint64_t bit_begin() const noexcept { return begin_of(index); }
  std::uint64_t bit_end() const noexcept { return is_index() ? bit_count : begin_of(index + 1); }
  std::uint64_t body_bits() const noexcept { return bit_end() - bit_begin(); }

  // Returns the part that has a bit of the whole filter.
  std::uint32_t part_of(std::uint64_t position) const noexcept {
    const Uint128 behind = position / kLineBits + 1;
    return static_cast<std::uint32_t>((behind * count - 1) / lines());
  }

  friend bool operator==(const FilePart&, const FilePart&) = default;

 private:
  std::uint64_t lines() const noexcept { return bit_count / kLineBits; }
  std::uint64_t begin_of(std::uint32_t part) const noexcept {
    return static_cast<std::uint64_t>(Uint128{part} * lines() / count) * kLineBits;
  }
};

// The most parts of a filter: one for each slot of a cluster.
inline constexpr std::uint32_t kMostParts = 16384;

// How many parts a new filter of so many bits is put into where nobody says: a power of two, so
// that each has at most 32 MiB of them as long as kMostParts are enough.
constexpr std::uint32_t usual_parts(std::uint64_t bit_count) noexcept {
  constexpr std::uint64_t kLargestPart = 32 * 1024 * 1024;
  const std::uint64_t parts = (bit_count / 8 + kLargestPart - 1) / kLargestPart;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(std::bit_ceil(parts), kMostParts));
}

}  // namespace bloomery
