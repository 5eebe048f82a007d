// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace bloomery {

static_assert(std::endian::native == std::endian::little, "hashes read numbers as they lie");

// The little-endian number at any address, aligned or not.
template <class T>
T load_little_endian(const void* bytes) noexcept {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

// Loads the last `count` bytes of an input, fewer than a T has; the missing bytes are zero.
template <class T>
T load_little_endian(const void* bytes, std::size_t count) noexcept {
  T value = 0;
  if (count != 0) std::memcpy(&value, bytes, count);
  return value;
}

}  // namespace bloomery
