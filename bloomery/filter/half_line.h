// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "bloomery/bits/bit_storage.h"
#include "bloomery/filter/blocked_shape.h"

// The definition of a key's bits in 32 bytes, half a line, where several generations of a filter
// lie side by side. Stored bits depend on it: it never changes.
//
//   with k probes, from w:   lane j of 8 has bit i mod 32, where i = w >> 5 (j / 2) for even j and
//                            w >> (32 + 5 (j / 2)) for odd j, for the k lanes from lane
//                            (w >> 20) mod 8 on, cyclically
namespace bloomery {

inline constexpr std::uint32_t kHalfLineBits = 256;
inline constexpr std::uint64_t kHalfLineWords = kHalfLineBits / kWordBits;
inline constexpr std::uint32_t kHalfLaneBits = kHalfLineBits / kLaneCount;
inline constexpr std::uint32_t kHalfFirstLaneShift = 20;

// The bit of a key in a lane, counted from the start of the half line.
[[gnu::always_inline]] inline std::uint32_t half_line_bit(std::uint64_t word,
                                                          std::uint32_t lane) noexcept {
  const std::uint32_t shift = 5 * (lane / 2) + 32 * (lane % 2);
  return lane * kHalfLaneBits + (static_cast<std::uint32_t>(word >> shift) % kHalfLaneBits);
}

[[gnu::always_inline]] inline std::uint32_t half_line_first_lane(std::uint64_t word) noexcept {
  return static_cast<std::uint32_t>(word >> kHalfFirstLaneShift) % kLaneCount;
}

}  // namespace bloomery
