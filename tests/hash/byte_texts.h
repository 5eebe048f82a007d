// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <numeric>
#include <string>

namespace bloomery::testing {

// Bytes that count up from `first`.
inline std::string bytes_from(std::size_t first, std::size_t size) {
  std::string bytes(size, '\0');
  std::iota(bytes.begin(), bytes.end(), static_cast<char>(first));
  return bytes;
}

}  // namespace bloomery::testing
