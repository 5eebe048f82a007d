#pragma once

#include <cstddef>
#include <cstdint>

#include "bloomery/hash/hash_pair.h"

namespace bloomery {

inline constexpr std::size_t kRegionBlock = 8;

// Packed probes (bulk/packed_probe.h) of one region, and what to ask memory for meanwhile.
struct RegionWork {
  std::uint64_t* region;
  std::uint32_t probes;  // in a line
  const std::uint64_t* packed;
  std::size_t count;
  const std::uint64_t* next_packed;  // the probes that follow, to be asked for
  // With each kRegionBlock probes, so many lines from here on.
  const std::uint64_t* ask;
  std::size_t ask_lines;
};

// The inner loops of bulk builds for one kind of processor.
struct RegionOps {
  // Of `count` keys the first line, among `lines`: packed[i], in the region of number region[i].
  void (*pack)(const HashPair* hashes, std::size_t count, std::uint64_t lines,
               std::uint64_t* packed, std::uint32_t* region);
  // Sets the bits of the probes, in their order. Returns how many had a clear bit; says which in
  // was_new, which may be null.
  std::size_t (*insert)(const RegionWork& work, bool* was_new);
};

}  // namespace bloomery
