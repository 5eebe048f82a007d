// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "bloomery/bits/bit_ops.h"
#include "bloomery/filter/half_line.h"

namespace bloomery {

// The bits of half lines in plain C++, which is their definition; `Isa` keeps what is compiled for
// one processor apart from the others.
template <class Isa>
struct HalfLines {
  using Mask = std::array<std::uint64_t, kHalfLineWords>;

  [[gnu::always_inline]] static Mask all_lanes(std::uint64_t word) {
    return some_lanes(word, kLaneCount);
  }

  [[gnu::always_inline]] static Mask some_lanes(std::uint64_t word, std::uint32_t probes) {
    Mask mask{};
    for (std::uint32_t i = 0; i < probes; ++i) {
      const std::uint32_t lane = (half_line_first_lane(word) + i) % kLaneCount;
      const std::uint32_t bit = half_line_bit(word, lane);
      mask[bit / kWordBits] |= bit_mask(bit);
    }
    return mask;
  }

  [[gnu::always_inline]] static bool contains(const std::uint64_t* half_line, const Mask& mask) {
    std::uint64_t missing = 0;
    for (std::uint64_t i = 0; i < kHalfLineWords; ++i)
      missing |= mask[i] & ~load_word(&half_line[i]);
    return missing == 0;
  }

  [[gnu::always_inline]] static void insert(std::uint64_t* half_line, const Mask& mask) {
    for (std::uint64_t i = 0; i < kHalfLineWords; ++i) half_line[i] |= mask[i];
  }
};

}  // namespace bloomery
