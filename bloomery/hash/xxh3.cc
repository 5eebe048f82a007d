// SPDX-License-Identifier: Apache-2.0
#include "bloomery/hash/xxh3.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace bloomery {

std::uint64_t xxh3_64(std::span<const std::byte> bytes, std::uint64_t seed) noexcept {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

}  // namespace bloomery
