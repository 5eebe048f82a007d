// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "bloomery/filter/fuse_shape.h"

namespace bloomery {

struct HashBlocks;

// ScatteredBytes: bytes, to be read only, that have the parts of a key at several places: the bits
// of a classic filter, or the slots of a fuse filter. Eight bytes behind the last of them can be
// read.
struct ScatteredBytes {
  const std::byte* bytes;
  bool far;                   // beyond a core's cache
  std::uint32_t moves;        // each pair is replaced by second_pair() of it as many times
  std::uint64_t bit_count;    // of a classic filter
  std::uint32_t probe_count;  // from 1
  FuseShape fuse;             // of a fuse filter
};

// Batches of questions for one kind of processor.
struct ScatteredOps {
  void (*may_contain_bits)(const ScatteredBytes& of, const HashBlocks& hashes, bool* found);
  void (*may_contain_fuse)(const ScatteredBytes& of, const HashBlocks& hashes, bool* found);
};

}  // namespace bloomery
