// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace bloomery::cli {

struct Interval {
  double low = 0;
  double high = 1;
};

// Returns where the chance lies, with 95 % confidence, of something that happened `successes` times
// in `trials` (at least 1). Wilson's score interval (1927): good for rare things and for none at
// all.
inline Interval binomial_interval(std::uint64_t successes, std::uint64_t trials) {
  constexpr double z = 1.959964;
  const auto n = static_cast<double>(trials);
  const double share = static_cast<double>(successes) / n;
  const double shrink = 1 + z * z / n;
  const double center = (share + z * z / (2 * n)) / shrink;
  const double spread = z / shrink * std::sqrt(share * (1 - share) / n + z * z / (4 * n * n));
  return {successes == 0 ? 0 : std::max(0.0, center - spread),
          successes == trials ? 1 : std::min(1.0, center + spread)};
}

}  // namespace bloomery::cli
