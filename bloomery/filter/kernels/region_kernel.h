// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "bloomery/filter/blocked_shape.h"

namespace bloomery {

struct HashBlocks;

inline constexpr std::size_t kRegionBlock = 8;

// Orders what this thread wrote by RegionOps::stream before what it writes next.
inline void stream_fence() noexcept {
#if defined(__SSE2__)
  __builtin_ia32_sfence();
#endif
}

// Packed probes (bulk/packed_probe.h) of one region, and what to ask memory for meanwhile.
struct RegionWork {
  std::uint64_t* region;
  std::uint32_t probes;  // in a line
  const std::uint64_t* packed;
  std::size_t count;
  const std::uint64_t* next_packed;  // the probes that follow, to be asked for
  // `ask`, `ask_lines`: with each kRegionBlock probes, so many lines from `ask` on are asked for.
  const std::uint64_t* ask;
  std::size_t ask_lines;
};

inline constexpr std::size_t kPackedAtOnce = 128;  // keys, in the first-level cache

// PackedProbes: where packed probes go, and the numbers of their regions. Both begin on a cache
// line, and have room for whole blocks of keys.
struct PackedProbes {
  std::uint64_t* probes;
  std::uint32_t* regions;
};

// The inner loops of bulk builds for one kind of processor.
struct RegionOps {
  // One thread is faster in bulk from filters of this size on; below, insert_batch() is.
  std::uint64_t bulk_bytes_of_one_thread;
  // Packs the probes of `count` keys of the batch from `begin` on, kPackedAtOnce at most: those in
  // keys' first lines into `first`; and where keys have two lines, those in the second into
  // `second`.
  void (*pack)(const HashBlocks& hashes, std::size_t begin, std::size_t count,
               const BlockedShape& shape, PackedProbes first, PackedProbes second);
  // Sets the bits of the probes, in their order. Returns how many had a clear bit; says which in
  // was_new, which may be null.
  std::size_t (*insert)(const RegionWork& work, bool* was_new);
  // Copies whole lines past the caches, where the processor has such stores. No other thread may
  // read them before this one has called stream_fence().
  void (*stream)(std::uint64_t* to, const std::uint64_t* from, std::size_t lines);
};

}  // namespace bloomery
