// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace bloomery::rdb {

// LZF, as Redis packs strings with. Each step begins with a byte:
//
//   000lllll                    l + 1 bytes follow as they are
//   llloooooo...                l + 2 bytes (l from 1 to 6), from o + 1 bytes back; o has 13 bits,
//   of
//                               which the next byte has the lower eight
//   111ooooo  m  ...            the same of m + 9 bytes
//
// False where the steps do not give exactly `out`; then some of it may be written.
bool expand_lzf(std::span<const std::byte> packed, std::span<std::byte> out) noexcept;

// Returns the most bytes that so many packed bytes can become.
constexpr std::uint64_t most_expanded(std::uint64_t packed_bytes) noexcept {
  return packed_bytes / 3 * 264 + 32;
}

}  // namespace bloomery::rdb
