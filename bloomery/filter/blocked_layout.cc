// SPDX-License-Identifier: Apache-2.0
#include "bloomery/filter/blocked_layout.h"

#include <string>

#include "bloomery/errors.h"

namespace bloomery {

void BlockedLayout::check(const FilterParameters& parameters) {
  const Geometry& geometry = parameters.geometry;
  const std::uint32_t lines = geometry.lines_per_key;
  const bool possible = (lines == 1 || lines == 2) && geometry.bit_count != 0 &&
                        geometry.bit_count % (lines * kLineBits) == 0 &&
                        geometry.probe_count >= lines && geometry.probe_count <= lines * kLaneCount;
  if (!possible) {
    throw FormatError("impossible geometry of a blocked filter: " + std::to_string(lines) +
                      " lines a key (1 or 2), " + std::to_string(geometry.bit_count) +
                      " bits (whole lines of 512 for each), " +
                      std::to_string(geometry.probe_count) + " probes (1 to 8 a line)");
  }
}

void BlockedLayout::hash_many(std::span<const std::uint64_t> integers,
                              HashPair* out) const noexcept {
  if (hash_.mixes_integers()) {
    hash_integers_(integers.data(), integers.size(), hash_.spread_seed(), out);
  } else {
    for (const std::uint64_t integer : integers) *out++ = hash_(integer);
  }
}

}  // namespace bloomery
