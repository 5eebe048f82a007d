// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "bloomery/hash/key.h"

namespace bloomery::rocksdb_format {

// The hash of RocksDB's filters (its GetSliceHash64): a preview of XXH3, of 2019, which shares the
// secret and the steps of the final XXH3 but not its results, with seed 0. RocksDB keeps it for
// its files.
//
//   0 bytes       a fold of the secret, where the preview said zero
//   1 to 16       one or two words, mixed
//   17 to 128     pairs of 16 bytes, from both ends towards the middle
//   129 to 240    every 16 bytes, and the last
//   more          eight lanes over stripes of 64 bytes, scrambled after each sixteen stripes
std::uint64_t hash(Key key) noexcept;

}  // namespace bloomery::rocksdb_format
