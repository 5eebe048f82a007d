#include "bloomery/format/mitz_probes.h"

#include <algorithm>
#include <cmath>

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

}  // namespace bloomery
