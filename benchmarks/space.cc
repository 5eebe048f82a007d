// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/space.h"

#include "bloomery/filter/sizing.h"

namespace bloomery::bench {

std::vector<SpaceResult> measure_space() {
  constexpr std::uint64_t kKeys = 1'000'000;
  std::vector<SpaceResult> results{{.rate = 0.01, .target = 0.06},
                                   {.rate = 0.001, .target = 0.10},
                                   {.rate = 0.0001, .target = 0.05}};
  for (SpaceResult& result : results) {
    const FilterOptions options{.capacity = kKeys, .false_positive_rate = result.rate};
    const Geometry blocked = blocked_geometry(options);
    const auto bits_per_key = [](const Geometry& geometry) {
      return static_cast<double>(geometry.bit_count) / static_cast<double>(kKeys);
    };
    result.keys = kKeys;
    result.classic_bits_per_key = bits_per_key(classic_geometry(options));
    result.blocked_bits_per_key = bits_per_key(blocked);
    result.lines_per_key = static_cast<int>(blocked.lines_per_key);
  }
  return results;
}

}  // namespace bloomery::bench
