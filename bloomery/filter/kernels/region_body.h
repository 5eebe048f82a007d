#pragma once

#include "bloomery/filter/batch_pipeline.h"
#include "bloomery/filter/bulk/packed_probe.h"
#include "bloomery/filter/kernels/region_kernel.h"

// The loops of a bulk build over an instruction set; see blocked_kernel_body.h for what an Isa is
// and why it is passed. For these it may have
//   void pack(hashes, count, lines, packed, region)   as RegionOps, where it does that faster
namespace bloomery {

template <class Isa>
struct RegionLoops {
  static void pack(const HashPair* hashes, std::size_t count, std::uint64_t lines,
                   std::uint64_t* packed, std::uint32_t* region) {
    if constexpr (requires { Isa::pack(hashes, count, lines, packed, region); }) {
      Isa::pack(hashes, count, lines, packed, region);
    } else {
      pack_each(hashes, count, lines, packed, region);
    }
  }

  // Lines and masks of a block are made before any of its stores: a load that waits for a store to
  // an unknown address would cost several times the work.
  static constexpr std::size_t kBlock = kRegionBlock;

  template <class Visit>
  static void for_each(const RegionWork& work, Visit visit) {
    const std::uint64_t* const packed = work.packed;
    const std::uint64_t* ask = work.ask;
    std::size_t i = 0;
    for (; i + kBlock <= work.count; i += kBlock) {
      std::uint64_t block[kBlock];
      for (std::size_t j = 0; j < kBlock; ++j) block[j] = packed[i + j];
      prefetch_far(work.next_packed + i);
      for (std::size_t line = 0; line < work.ask_lines; ++line, ask += kLineWords) {
        prefetch_far(ask);
      }
      for (std::size_t j = 0; j < kBlock; ++j) visit(i + j, block[j]);
    }
    for (; i < work.count; ++i) visit(i, packed[i]);
  }

  template <class MaskOf>
  static std::size_t insert_masks(const RegionWork& work_in, bool* was_new, MaskOf mask_of) {
    const RegionWork work = work_in;
    std::size_t added = 0;
    const auto insert = [=](std::uint64_t probe) {
      return Isa::insert(work.region + packed_line(probe) * kLineWords, mask_of(probe));
    };
    if (was_new == nullptr) {
      for_each(work, [&](std::size_t, std::uint64_t probe) { added += insert(probe); });
    } else {
      for_each(work,
               [&](std::size_t i, std::uint64_t probe) { added += was_new[i] = insert(probe); });
    }
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

  static constexpr RegionOps kOps{pack, insert};
};

}  // namespace bloomery
