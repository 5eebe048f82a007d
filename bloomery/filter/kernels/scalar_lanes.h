// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "bloomery/bits/bit_ops.h"
#include "bloomery/filter/blocked_shape.h"

namespace bloomery {

// The definition of a key's bits in a line, in plain C++: what the other kernels must equal. `Tag`
// as that of Avx512Lanes.
//
// A lane's bit is made where it is tested or set, and each lane is loaded and stored as one access
// that no compiler joins with the next: what is written by one and read by two waits in between.
template <class Tag>
struct ScalarLanes {
  struct AllLanes {
    std::uint64_t word;
    [[gnu::always_inline]] std::uint64_t bit(std::uint32_t lane) const {
      return std::uint64_t{1} << lane_bit(word, lane);
    }
  };
  struct SomeLanes {
    std::uint64_t word;
    std::uint32_t used;  // bit i: lane i has a bit
    [[gnu::always_inline]] std::uint64_t bit(std::uint32_t lane) const {
      return std::uint64_t{(used >> lane) & 1} << lane_bit(word, lane);
    }
  };

  [[gnu::always_inline]] static AllLanes all_lanes(std::uint64_t word) { return {word}; }

  [[gnu::always_inline]] static SomeLanes some_lanes(std::uint64_t word, std::uint32_t probes) {
    const std::uint32_t turned = ((1U << probes) - 1) << first_lane(word);
    return {word, turned | (turned >> kLaneCount)};
  }

  template <class Mask>
  [[gnu::always_inline]] static bool contains(const std::uint64_t* line, Mask mask) {
    std::uint64_t missing = 0;
#pragma GCC unroll 8
    for (std::uint32_t lane = 0; lane < kLaneCount; ++lane) {
      missing |= mask.bit(lane) & ~load_word(&line[lane]);
    }
    return missing == 0;
  }

  template <class Mask>
  [[gnu::always_inline]] static bool insert(std::uint64_t* line, Mask mask) {
    std::uint64_t missing = 0;
#pragma GCC unroll 8
    for (std::uint32_t lane = 0; lane < kLaneCount; ++lane) {
      const std::uint64_t bit = mask.bit(lane);
      const std::uint64_t before = load_word(&line[lane]);
      missing |= bit & ~before;
      __atomic_store_n(&line[lane], before | bit, __ATOMIC_RELAXED);
    }
    return missing != 0;
  }
};

}  // namespace bloomery
