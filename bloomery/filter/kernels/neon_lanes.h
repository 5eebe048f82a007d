// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arm_neon.h>

#include <cstdint>

#include "bloomery/filter/blocked_shape.h"
#include "bloomery/filter/kernels/lane_distance.h"

namespace bloomery {

// Shifts to the right are negative shifts to the left.
alignas(64) inline constexpr std::int64_t kNeonLaneShift[8] = {0, -6, -12, -18, -24, -30, -36, -42};

// The bits of a key in a line by NEON, which 64-bit Arm always has. `Tag` as that of Avx512Lanes.
template <class Tag>
struct NeonLanes {
  static constexpr std::uint32_t kPairs = kLaneCount / 2;  // a register holds two lanes

  struct Mask {
    uint64x2_t pairs[kPairs];
  };

  [[gnu::always_inline]] static Mask all_lanes(std::uint64_t word) {
    const uint64x2_t all = vdupq_n_u64(word);
    Mask mask;
    for (std::uint32_t i = 0; i < kPairs; ++i) {
      const uint64x2_t index =
          vandq_u64(vshlq_u64(all, vld1q_s64(kNeonLaneShift + 2 * i)), vdupq_n_u64(63));
      mask.pairs[i] = vshlq_u64(vdupq_n_u64(1), vreinterpretq_s64_u64(index));
    }
    return mask;
  }

  [[gnu::always_inline]] static Mask some_lanes(std::uint64_t word, std::uint32_t probes) {
    Mask mask = all_lanes(word);
    const std::uint64_t* const distances = kLaneDistance + (kLaneCount - first_lane(word));
    const uint64x2_t limit = vdupq_n_u64(probes);
    for (std::uint32_t i = 0; i < kPairs; ++i) {
      const uint64x2_t used = vcltq_u64(vld1q_u64(distances + 2 * i), limit);
      mask.pairs[i] = vandq_u64(mask.pairs[i], used);
    }
    return mask;
  }

  [[gnu::always_inline]] static bool contains(const std::uint64_t* line, const Mask& mask) {
    uint64x2_t missing = vdupq_n_u64(0);
    for (std::uint32_t i = 0; i < kPairs; ++i) {
      missing = vorrq_u64(missing, vbicq_u64(mask.pairs[i], vld1q_u64(line + 2 * i)));
    }
    return !any(missing);
  }

  [[gnu::always_inline]] static bool insert(std::uint64_t* line, const Mask& mask) {
    uint64x2_t missing = vdupq_n_u64(0);
    for (std::uint32_t i = 0; i < kPairs; ++i) {
      const uint64x2_t lanes = vld1q_u64(line + 2 * i);
      missing = vorrq_u64(missing, vbicq_u64(mask.pairs[i], lanes));
      vst1q_u64(line + 2 * i, vorrq_u64(lanes, mask.pairs[i]));
    }
    return any(missing);
  }

 private:
  [[gnu::always_inline]] static bool any(uint64x2_t bits) {
    return vmaxvq_u32(vreinterpretq_u32_u64(bits)) != 0;
  }
};

}  // namespace bloomery
