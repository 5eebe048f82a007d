// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <algorithm>
#include <cstring>

#include "bloomery/filter/batch_pipeline.h"
#include "bloomery/filter/bulk/packed_probe.h"
#include "bloomery/filter/kernels/region_kernel.h"
#include "bloomery/filter/kernels/with_hasher.h"

// The loops of a bulk build over an instruction set; see blocked_kernel_body.h for what an Isa is
// and why it is passed. For these it has kBulkBytesOfOneThread (RegionOps), and may have
//   void pack(block, lines, packed, region)   as pack_each()
//   void stream_line(to, from)                copies a line past the caches
// where it does that faster.
namespace bloomery {

template <class Isa>
struct RegionLoops {
  // Two kilobytes: nothing is asked of memory meanwhile but this, and writing.
  static constexpr std::size_t kIntegersAhead = 256;

  static void pack_block(const HashBlock& hashes, std::uint64_t lines, PackedProbes out,
                         std::size_t at) {
    if constexpr (requires { Isa::pack(hashes, lines, out.probes, out.regions); }) {
      Isa::pack(hashes, lines, out.probes + at, out.regions + at);
    } else {
      pack_each(hashes, lines, out.probes + at, out.regions + at);
    }
  }

  static void pack(const HashBlocks& hashes, std::size_t begin, std::size_t count,
                   const BlockedShape& shape_in, PackedProbes first, PackedProbes second) {
    const BlockedShape shape = shape_in;
    // All are hashed before any is packed: a vector's store is not read back word by word at once.
    HashBlock blocks[kPackedAtOnce / kHashBlock];
    const std::size_t whole = count / kHashBlock;
    with_hasher<Isa>(
        hashes, [&](auto hasher) __attribute__((always_inline)) {
          for (std::size_t i = 0; i < whole; ++i) {
            const std::size_t at = begin + i * kHashBlock;
            if (hashes.hash == nullptr) prefetch_keys<kIntegersAhead>(hashes.integers + at);
            hasher.start(at, kHashBlock, blocks[i]);
            hasher.go_on(blocks[i]);
            hasher.finish(blocks[i]);
          }
          if (count % kHashBlock != 0) {
            blocks[whole] = {};
            hasher.start(begin + whole * kHashBlock, count % kHashBlock, blocks[whole]);
          }
        });
    for (std::size_t at = 0; at < count; at += kHashBlock) {
      HashBlock& block = blocks[at / kHashBlock];
      pack_block(block, shape.lines, first, at);
      if (!shape.two_lines()) continue;
      for (std::size_t j = 0; j < kHashBlock; ++j) block.set(j, second_pair(block[j]));
      pack_block(block, shape.lines, second, at);
    }
  }

  // Lines and masks of a block are made before any of its stores: a load that waits for a store to
  // an unknown address would cost several times the work.
  static constexpr std::size_t kBlock = kRegionBlock;

  template <class MaskOf>
  static std::size_t insert_masks(const RegionWork& work_in, bool* was_new, MaskOf mask_of) {
    const RegionWork work = work_in;
    const std::uint64_t* const packed = work.packed;
    const auto line_of = [=](std::uint64_t probe) {
      return work.region + packed_line(probe) * kLineWords;
    };
    std::size_t added = 0;
    const auto insert = [&](std::size_t i, std::uint64_t* line, auto mask) {
      const bool is_new = Isa::insert(line, mask);
      if (was_new != nullptr) was_new[i] = is_new;
      added += is_new;
    };
    const std::uint64_t* ask = work.ask;
    std::size_t i = 0;
    for (; i + kBlock <= work.count; i += kBlock) {
      prefetch_far(work.next_packed + i);
      for (std::size_t line = 0; line < work.ask_lines; ++line, ask += kLineWords) {
        prefetch_far(ask);
      }
      std::uint64_t* lines[kBlock];
      decltype(mask_of(0)) masks[kBlock];
#pragma GCC unroll 8
      for (std::size_t j = 0; j < kBlock; ++j) {
        lines[j] = line_of(packed[i + j]);
        masks[j] = mask_of(packed[i + j]);
      }
#pragma GCC unroll 8
      for (std::size_t j = 0; j < kBlock; ++j) insert(i + j, lines[j], masks[j]);
    }
    for (; i < work.count; ++i) insert(i, line_of(packed[i]), mask_of(packed[i]));
    return added;
  }

  static std::size_t insert(const RegionWork& work, bool* was_new) {
    if (work.probes == kLaneCount) {
      return insert_masks(work, was_new, [](std::uint64_t probe) { return Isa::all_lanes(probe); });
    }
    return insert_masks(work, was_new, [probes = work.probes](std::uint64_t probe) {
      return Isa::some_lanes(probe, probes);
    });
  }

  static void stream_line(std::uint64_t* to, const std::uint64_t* from) {
    if constexpr (requires { Isa::stream_line(to, from); }) {
      Isa::stream_line(to, from);
    } else {
#if defined(__SSE2__)
      for (std::uint64_t i = 0; i < kLineWords; i += 2) {
        _mm_stream_si128(reinterpret_cast<__m128i*>(to + i),
                         _mm_load_si128(reinterpret_cast<const __m128i*>(from + i)));
      }
#else
      std::memcpy(to, from, kLineBytes);
#endif
    }
  }
  static void stream(std::uint64_t* to, const std::uint64_t* from, std::size_t lines) {
    for (std::size_t i = 0; i < lines * kLineWords; i += kLineWords) stream_line(to + i, from + i);
  }

  static constexpr RegionOps kOps{Isa::kBulkBytesOfOneThread, pack, insert, stream};
};

}  // namespace bloomery
