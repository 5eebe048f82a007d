// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "bloomery/bits/bit_storage.h"
#include "bloomery/filter/geometry.h"
#include "bloomery/filter/rates.h"
#include "bloomery/hash/hash_pair.h"

// The definition of what a key means in a blocked filter. Stored bits depend on it: it never
// changes.
//
//   line 0 = fast_range(h1, lines)                 mask 0 from h2
//   line 1 = lines + fast_range(g1, lines)         mask 1 from g2          only with two lines a
//   key where (g1, g2) = second_pair(h1, h2), and `lines` is the number of lines in the array, or
//   in half of it
//
//   mask from w, with k probes in the line:        lane j of 8 has bit (w >> 6j) mod 64
//                                                  for the k lanes from lane (w >> 48) mod 8 on,
//                                                  cyclically
namespace bloomery {

inline constexpr std::uint32_t kLaneCount = 8;
inline constexpr std::uint32_t kLaneIndexBits = 6;
inline constexpr std::uint32_t kFirstLaneShift = 48;

// A blocked geometry as the kernels want it.
struct BlockedShape {
  std::uint64_t lines = 0;                // in the array, or in each half of it
  std::array<std::uint32_t, 2> probes{};  // in the first and the second line of a key

  static BlockedShape of(const Geometry& geometry) noexcept {
    BlockedShape shape;
    shape.lines = geometry.bit_count / geometry.line_bits / geometry.lines_per_key;
    for (std::uint32_t line = 0; line < geometry.lines_per_key; ++line) {
      shape.probes[line] = probes_in_line(geometry, line);
    }
    return shape;
  }

  bool two_lines() const noexcept { return probes[1] != 0; }
  // A bit in each lane of one line.
  bool all_lanes() const noexcept {
    constexpr std::array<std::uint32_t, 2> kAllLanes{kLaneCount, 0};
    return std::bit_cast<std::uint64_t>(probes) == std::bit_cast<std::uint64_t>(kAllLanes);
  }
};

inline constexpr std::uint64_t kSecondPairMix = 0xa0761d6478bd642f;

[[gnu::always_inline]] inline HashPair second_pair(HashPair hash) noexcept {
  return {(hash.h1 ^ hash.h2) * kSecondPairMix, ((hash.h2 << 13) | (hash.h2 >> 51)) + hash.h1};
}

[[gnu::always_inline]] inline std::uint32_t lane_bit(std::uint64_t word,
                                                     std::uint32_t lane) noexcept {
  return static_cast<std::uint32_t>(word >> (kLaneIndexBits * lane)) & 63;
}

[[gnu::always_inline]] inline std::uint32_t first_lane(std::uint64_t word) noexcept {
  return static_cast<std::uint32_t>(word >> kFirstLaneShift) & 7;
}

// Returns whether test(position) holds for every probe of a key, positions counted through the
// whole array; stops at the first for which it does not. No two positions are the same.
template <class Test>
bool all_positions(const BlockedShape& shape, HashPair hash, Test test) {
  for (std::uint32_t line = 0; line < (shape.two_lines() ? 2U : 1U); ++line) {
    const HashPair pair = line == 0 ? hash : second_pair(hash);
    const std::uint64_t at = line * shape.lines + fast_range(pair.h1, shape.lines);
    // With all eight lanes the order does not matter, and starts at lane 0.
    const std::uint32_t first = shape.probes[line] == kLaneCount ? 0 : first_lane(pair.h2);
    for (std::uint32_t i = 0; i < shape.probes[line]; ++i) {
      const std::uint32_t lane = (first + i) % kLaneCount;
      if (!test(at * kLineBits + lane * kWordBits + lane_bit(pair.h2, lane))) return false;
    }
  }
  return true;
}

template <class Visit>
void for_each_position(const BlockedShape& shape, HashPair hash, Visit visit) {
  all_positions(shape, hash, [&](std::uint64_t position) {
    visit(position);
    return true;
  });
}

}  // namespace bloomery
