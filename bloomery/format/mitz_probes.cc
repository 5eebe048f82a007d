// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/mitz_probes.h"

#include <algorithm>
#include <cmath>

#include "bloomery/filter/classic_layout.h"
#include "bloomery/filter/make_kind.h"
#include "bloomery/format/guava.h"

namespace bloomery {

double mitz_bit_count(double capacity, double rate) noexcept {
  const double ln2 = std::log(2.0);
  return std::trunc(-capacity * std::log(rate) / (ln2 * ln2));
}

std::uint32_t mitz_probe_count(double bit_count, double capacity) noexcept {
  // Java's Math.round: the next whole number from a half up.
  const double probes = std::floor(bit_count / capacity * std::log(2.0) + 0.5);
  return static_cast<std::uint32_t>(std::clamp(probes, 1.0, 65'535.0));
}

Geometry Mitz64Probes::geometry(const FilterOptions& options) {
  return guava::geometry(options.capacity, options.false_positive_rate,
                         guava::ProbeRule::from_rate);
}

constinit const Kind kMitz64Kind =
    flat_kind<ClassicLayout<Mitz64Probes>>({"mitz-64", "murmur3 x64-128"});
constinit const Kind kMitz32Kind =
    flat_kind<ClassicLayout<Mitz32Probes>>({"mitz-32", "murmur3 x64-128, half of it"});

}  // namespace bloomery
