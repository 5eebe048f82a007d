// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "bloomery/hash/hash_pair.h"

namespace bloomery {

inline constexpr std::uint64_t kPositionMix = 0xd1342543de82ef95;

// The i-th bit of a key in a classic filter of ours. Stored bits depend on it: it never changes.
// Each probe mixes its step of h1 + i h2 anew: plain double hashing would leave a floor under the
// rate of the order of n / m^2, which small filters and low rates hit.
[[gnu::always_inline]] inline std::uint64_t native_position(HashPair hash, std::uint32_t i,
                                                            std::uint64_t bit_count) noexcept {
  std::uint64_t mixed = hash.h1 + i * hash.h2;
  mixed = (mixed ^ (mixed >> 32)) * kPositionMix;
  return fast_range(mixed ^ (mixed >> 29), bit_count);
}

}  // namespace bloomery
