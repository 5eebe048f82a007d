// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/mitz_probes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "bloomery/filter/classic_layout.h"
#include "bloomery/filter/make_kind.h"

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

Geometry guava_geometry(std::uint64_t capacity, double rate, bool probes_from_size) {
  if (!(rate > 0 && rate < 1)) {
    throw std::invalid_argument("guava: a rate of " + std::to_string(rate) +
                                "; it must be above 0 and below 1");
  }
  const double keys = capacity == 0 ? 1 : static_cast<double>(capacity);
  const double bits = mitz_bit_count(keys, rate);
  if (bits < 1) {
    throw std::invalid_argument("guava: " + std::to_string(capacity) + " keys at a rate of " +
                                std::to_string(rate) + " would have no bits; Guava refuses that");
  }
  if (bits > 64.0 * std::numeric_limits<std::int32_t>::max()) {
    throw std::invalid_argument("guava: " + std::to_string(capacity) +
                                " keys at that rate need more than 2147483647 longs");
  }
  const std::uint32_t probes = probes_from_size
                                   ? mitz_probe_count(bits, keys)
                                   : static_cast<std::uint32_t>(std::max(
                                         1.0, std::floor(-std::log(rate) / std::log(2.0) + 0.5)));
  if (probes > kMostGuavaProbes) {
    throw std::invalid_argument("guava: " + std::to_string(probes) +
                                " probes; at most 255 are possible");
  }
  const auto longs = (static_cast<std::uint64_t>(bits) + kWordBits - 1) / kWordBits;
  return {.bit_count = longs * kWordBits, .probe_count = probes};
}

Geometry Mitz64Probes::geometry(const FilterOptions& options) {
  return guava_geometry(options.capacity, options.false_positive_rate, false);
}

constinit const Kind kMitz64Kind =
    flat_kind<ClassicLayout<Mitz64Probes>>({"mitz-64", "murmur3 x64-128"});
constinit const Kind kMitz32Kind =
    flat_kind<ClassicLayout<Mitz32Probes>>({"mitz-32", "murmur3 x64-128, half of it"});

}  // namespace bloomery
