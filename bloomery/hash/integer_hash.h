// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "bloomery/hash/hash_pair.h"

namespace bloomery {

// The native hash of an eight-byte key, given as its little-endian integer. A general hash spends
// longer on eight bytes than a cached look-up takes; this one is three multiplications that vector
// units do eight at a time. h1 is Stafford's "Mix13" finaliser (a bijection, as in SplitMix64) of
// the seeded key; h2 is a folded product of h1, so the line and the bits within it do not move
// together.
//
// Part of the stored data: never change it, add another HashId.
struct IntegerHash {
  static constexpr std::uint64_t kFirst = 0xbf58476d1ce4e5b9;
  static constexpr std::uint64_t kSecond = 0x94d049bb133111eb;
  static constexpr std::uint64_t kThird = 0xd6e8feb86659fd93;
  static constexpr std::uint64_t kOffset = 0x9e3779b97f4a7c15;

  // Seeds are spread first, so neighbouring seeds share no keys' hashes.
  [[gnu::always_inline]] static constexpr std::uint64_t spread_seed(std::uint64_t seed) noexcept {
    return (seed + 1) * kOffset;
  }

  [[gnu::always_inline]] static constexpr HashPair hash(std::uint64_t key,
                                                        std::uint64_t spread) noexcept {
    const HashPair pair = unfolded(key, spread);
    return {pair.h1, pair.h2 ^ (pair.h2 >> kLastFold)};
  }

  // The pair before the last step, for those who take that in another register.
  static constexpr int kLastFold = 32;
  [[gnu::always_inline]] static constexpr HashPair unfolded(std::uint64_t key,
                                                            std::uint64_t spread) noexcept {
    std::uint64_t h1 = key ^ spread;
    h1 = (h1 ^ (h1 >> 30)) * kFirst;
    h1 = (h1 ^ (h1 >> 27)) * kSecond;
    h1 ^= h1 >> 31;
    return {h1, (h1 ^ kOffset) * kThird};
  }
};

}  // namespace bloomery
