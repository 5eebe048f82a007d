// SPDX-License-Identifier: Apache-2.0
#include "cli/experiments/exact_interval.h"

#include <cmath>

namespace bloomery::cli {
namespace {

// The chance of `successes` or more, or of as many or fewer, in trials of the given chance. Adds up
// outwards from `successes`: where the sum is wanted, that is away from the mean.
double tail(std::uint64_t successes, std::uint64_t trials, double chance, bool or_more) {
  const auto n = static_cast<double>(trials);
  auto k = static_cast<double>(successes);
  const double odds = chance / (1 - chance);
  double term = std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) +
                         k * std::log(chance) + (n - k) * std::log1p(-chance));
  double sum = 0;
  while (term > 0 && sum + term > sum && sum < 1) {
    sum += term;
    term *= or_more ? (n - k) / (k + 1) * odds : k / (n - k + 1) / odds;
    k += or_more ? 1 : -1;
  }
  return sum;
}

// Finds, between two chances, that at which the tail, rising or falling, is 2.5 %.
double solve(std::uint64_t successes, std::uint64_t trials, double low, double high, bool or_more) {
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    const bool beyond = tail(successes, trials, middle, or_more) > 0.025;
    (beyond == or_more ? high : low) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

Interval exact_binomial_interval(std::uint64_t successes, std::uint64_t trials) {
  const double share = static_cast<double>(successes) / static_cast<double>(trials);
  return {successes == 0 ? 0 : solve(successes, trials, 0, share, true),
          successes == trials ? 1 : solve(successes, trials, share, 1, false)};
}

}  // namespace bloomery::cli
