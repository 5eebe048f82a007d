// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bloomery/filter/batch_pipeline.h"
#include "bloomery/hash/integer_hash.h"

namespace bloomery {

// The hashes of integers one by one. Inlined, so that a file compiled for one processor keeps it to
// itself.
[[gnu::always_inline]] inline void hash_each(const std::uint64_t* keys, std::size_t count,
                                             std::uint64_t spread_seed, HashBlock& out) {
  for (std::size_t j = 0; j < count; ++j) out.set(j, IntegerHash::hash(keys[j], spread_seed));
}

}  // namespace bloomery
