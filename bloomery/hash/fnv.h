// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "bloomery/hash/key.h"

namespace bloomery {

// FNV-1 of 64 bits: multiplies, then takes in the byte (FNV-1a does the reverse). Fowler, Noll and
// Vo. For layouts that are made with it; slow, and weak in its low bits.
inline constexpr std::uint64_t fnv1_64(Key key) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : key) {
    hash *= 0x100000001b3;
    hash ^= static_cast<std::uint8_t>(byte);
  }
  return hash;
}

}  // namespace bloomery
