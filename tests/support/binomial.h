// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

namespace bloomery::testing {

// Returns an upper limit for a count of successes in `trials`, kept in all but one of 30,000 fixed
// seeds: mean and four standard deviations, and one for the step of whole numbers.
inline double binomial_upper(double trials, double chance, double deviations = 4) {
  return trials * chance + deviations * std::sqrt(trials * chance * (1 - chance)) + 1;
}

}  // namespace bloomery::testing
