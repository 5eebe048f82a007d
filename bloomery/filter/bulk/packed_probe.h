// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "bloomery/bits/bit_storage.h"
#include "bloomery/filter/batch_pipeline.h"
#include "bloomery/hash/hash_pair.h"

// A bulk build cuts a blocked filter into regions of lines, and carries what a key means in one
// line of its region in eight bytes:
//
//    63          52 51  50     48 47                              0
//   +--------------+---+---------+---------------------------------+
//   | line within  | 0 | first   | six bits for each of the lanes  |
//   | the region   |   | lane    | 7 ... 0                         |
//   +--------------+---+---------+---------------------------------+
//
// The low 51 bits are those that blocked_shape.h takes a mask from, in their places, so a packed
// probe is a mask's word as it is.
namespace bloomery {

inline constexpr std::uint32_t kPackedLineShift = 52;
inline constexpr std::uint64_t kPackedWordMask = (std::uint64_t{1} << 51) - 1;
inline constexpr std::uint32_t kRegionLineBits = 64 - kPackedLineShift;
inline constexpr std::uint64_t kRegionLines = std::uint64_t{1} << kRegionLineBits;
// 256 KiB: a region and the next one fit a second-level cache of 1 MiB beside the probes.
inline constexpr std::uint64_t kRegionBytes = kRegionLines * kLineBytes;

// `line` of the filter, of which the region's number is cut off, and a mask's word.
[[gnu::always_inline]] inline std::uint64_t pack_probe(std::uint64_t line,
                                                       std::uint64_t word) noexcept {
  return line << kPackedLineShift | (word & kPackedWordMask);
}

// The line of each key of a block, among `lines`, packed; and the number of its region.
[[gnu::always_inline]] inline void pack_each(const HashBlock& hashes, std::uint64_t lines,
                                             std::uint64_t* packed,
                                             std::uint32_t* region) noexcept {
  for (std::size_t i = 0; i < kHashBlock; ++i) {
    const std::uint64_t line = fast_range(hashes.h1[i], lines);
    packed[i] = pack_probe(line, hashes.h2[i]);
    region[i] = static_cast<std::uint32_t>(line >> kRegionLineBits);
  }
}

[[gnu::always_inline]] inline std::uint64_t packed_line(std::uint64_t packed) noexcept {
  return packed >> kPackedLineShift;
}

}  // namespace bloomery
