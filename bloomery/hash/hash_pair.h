// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace bloomery {

// All that travels from a key to the bits. Every filter takes it directly, so a caller may hash
// once and ask many filters that share a hash.
struct HashPair {
  std::uint64_t h1;
  std::uint64_t h2;

  friend bool operator==(const HashPair&, const HashPair&) = default;
};

__extension__ using Uint128 = unsigned __int128;

// Maps a uniform 64-bit value onto [0, range) by its high bits: no division, any range up to 2^64.
// Lemire 2019, "Fast random integer generation in an interval".
[[gnu::always_inline]] inline constexpr std::uint64_t fast_range(std::uint64_t value,
                                                                 std::uint64_t range) noexcept {
  return static_cast<std::uint64_t>((static_cast<Uint128>(value) * range) >> 64);
}

}  // namespace bloomery
