// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

namespace bloomery::testing {

// What a count of successes in `trials` stays below, all but once in 30,000 fixed seeds: mean and
// four standard deviations, and one for the step of whole numbers.
inline double binomial_upper(double trials, double chance, double deviations = 4) {
  return trials * chance + deviations * std::sqrt(trials * chance * (1 - chance)) + 1;
}

}  // namespace bloomery::testing
