// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "bloomery/text/utf16.h"

namespace bloomery {

// h = factor h + unit, over the UTF-16 units of a text, in 32 bits that wrap: Java's
// String.hashCode() with 31, BKDR with 131, and every hash of SimpleBloomFilter.
inline std::uint32_t unit_hash(Key text, std::uint32_t factor) noexcept {
  std::uint32_t hash = 0;
  for_each_utf16_unit(text, [&](std::uint16_t unit) { hash = factor * hash + unit; });
  return hash;
}

}  // namespace bloomery
