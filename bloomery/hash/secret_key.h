// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace bloomery {

// 256 bits that nobody else knows. A filter that faces keys chosen by strangers is hashed under one
// of these: no seed protects XXH3 or Murmur, whose collisions can be made for every seed at once.
// It is stored with the filter, because the filter is useless without it, and never printed.
struct SecretKey {
  std::array<std::uint64_t, 4> words{};

  // Draws a key from the kernel's generator. Throws std::system_error where that fails.
  static SecretKey random();

  friend bool operator==(const SecretKey&, const SecretKey&) = default;
};

}  // namespace bloomery
