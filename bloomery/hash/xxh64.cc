// SPDX-License-Identifier: Apache-2.0
#include "bloomery/hash/xxh64.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace bloomery {

std::uint64_t xxh64(Key key, std::uint64_t seed) noexcept {
  return XXH64(key.data(), key.size(), seed);
}

}  // namespace bloomery
