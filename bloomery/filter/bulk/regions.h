// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "bloomery/filter/blocked_shape.h"
#include "bloomery/filter/bulk/packed_probe.h"

namespace bloomery {

// The regions of the lines that are some keys' first, or of those that are their second: a filter
// with two lines a key has two such halves.
struct HalfRegions {
  std::uint64_t first_line = 0;  // in the whole array
  std::uint64_t lines = 0;
  std::uint32_t probes = 0;

  static HalfRegions of(const BlockedShape& shape, std::size_t half) noexcept {
    return {half * shape.lines, half == 0 || shape.two_lines() ? shape.lines : 0,
            shape.probes[half]};
  }

  std::size_t count() const noexcept { return (lines + kRegionLines - 1) / kRegionLines; }

  // Returns the words of a region; none for a region behind the last.
  std::span<std::uint64_t> words(std::span<std::uint64_t> filter,
                                 std::size_t region) const noexcept {
    if (region >= count()) return {};
    const std::uint64_t from = region * kRegionLines;
    const std::uint64_t size = std::min(kRegionLines, lines - from);
    return filter.subspan((first_line + from) * kLineWords, size * kLineWords);
  }
};

}  // namespace bloomery
