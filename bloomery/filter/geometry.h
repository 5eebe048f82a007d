// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace bloomery {

// How many bits, and how a key's probes fall on them.
struct Geometry {
  std::uint64_t bit_count = 0;
  std::uint32_t probe_count = 0;
  // 0: each probe falls anywhere in the array. 1 or 2: the probes of a key stay within that many
  // lines, and with two the array is two halves, one line of each.
  std::uint32_t lines_per_key = 0;
  // line_bits: bits of one of the lines: 512, or 256 in a windowed filter. A line has eight lanes.
  std::uint32_t line_bits = 512;

  friend bool operator==(const Geometry&, const Geometry&) = default;
};

}  // namespace bloomery
