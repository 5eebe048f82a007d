// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace bloomery::cli {

// One step of SplitMix64 (Steele, Lea, Flood 2014): a bijection, so numbers stay different. Not the
// hash of any filter.
constexpr std::uint64_t scramble(std::uint64_t number) noexcept {
  std::uint64_t z = number + 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace bloomery::cli
