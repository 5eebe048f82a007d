// SPDX-License-Identifier: Apache-2.0
#include "cli/dedup/expected_loss.h"

#include <algorithm>
#include <cmath>

#include "bloomery/filter/rates.h"

namespace bloomery::cli {
namespace {

// Steps of the integral over the fill: the rate grows with a power of it up to the probe count, and
// 256 trapezoids of x^20 err by 0.1 %.
constexpr int kSteps = 256;

// The 0.1 % that the bound may fail are two halves: the bits are worse than this many deviations
// from the predicted rate, or the number of losses is in the tail of its distribution.
constexpr double kHalfTail = (1 - kLossConfidence) / 2;
constexpr double kHalfTailDeviations = 3.2905;

// Losses before the next "new" at a rate: their number is geometric.
LossSum odds_of(double rate) noexcept {
  // A rate of 1 has no odds; from here on the count of what was dropped is the limit.
  constexpr double kHighest = 1 - 1e-9;
  rate = std::clamp(rate, 0.0, kHighest);
  return {rate / (1 - rate), rate / ((1 - rate) * (1 - rate))};
}

LossSum odds_at(const Geometry& geometry, double keys, double deviations) noexcept {
  const RateMoments moments = rate_moments(geometry, keys);
  return odds_of(moments.mean + deviations * std::sqrt(moments.variance));
}

// Summed over `new_count` answers "new" and the one that did not come any more. Lost keys are in
// the filter as much as the others are: they move the fill.
LossSum integrate(const Geometry& geometry, double keys_before, double new_count,
                  double deviations) noexcept {
  const double step = new_count / kSteps;
  LossSum sum;
  LossSum at = odds_at(geometry, keys_before, deviations);
  for (int i = 0; i < kSteps && step > 0; ++i) {
    const double reached = keys_before + (i + 1) * step + sum.mean;
    const LossSum next = odds_at(geometry, reached + step * at.mean, deviations);
    sum.mean += step * (at.mean + next.mean) / 2;
    sum.variance += step * (at.variance + next.variance) / 2;
    at = next;
  }
  return {sum.mean + at.mean, sum.variance + at.variance};
}

// The point of the standard normal distribution with `tail` above it, to 4.5e-4: Abramowitz and
// Stegun 1964, 26.2.23.
double normal_upper(double tail) noexcept {
  const double t = std::sqrt(-2 * std::log(tail));
  return t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                 (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
}

}  // namespace

double poisson_upper(double mean, double tail) noexcept {
  if (!(mean > 0)) return 0;
  if (mean > 500) {
    // Cornish and Fisher 1938, to the second term; and one more for the rounding.
    const double z = normal_upper(tail);
    return std::ceil(mean + z * std::sqrt(mean) + (z * z - 1) / 6) + 1;
  }
  // Terms that still count are summed from the far end, where nothing cancels: what is above b.
  double count = std::ceil(mean + 12 * std::sqrt(mean) + 60);
  double term = std::exp(count * std::log(mean) - mean - std::lgamma(count + 1));
  double above = 0;
  while (count > 0 && above + term <= tail) {
    above += term;
    term *= count / mean;
    --count;
  }
  return count;
}

Loss estimate_loss(const Geometry& geometry, double keys_before, std::uint64_t new_count,
                   std::uint64_t known_count) noexcept {
  const auto news = static_cast<double>(new_count);
  const LossSum likely = integrate(geometry, keys_before, news, 0);
  const LossSum worse = integrate(geometry, keys_before, news, kHalfTailDeviations);
  return loss_of(likely, worse, kHalfTail, known_count);
}

void LossSum::add(double rate, double news) noexcept {
  const LossSum each = odds_of(rate);
  mean += news * each.mean;
  variance += news * each.variance;
}

Loss loss_of(const LossSum& likely, const LossSum& worst, double tail,
             std::uint64_t known_count) noexcept {
  const auto limit = static_cast<double>(known_count);
  // At high rates losses come in clusters: the variance is `spread` times the mean, as if each
  // Poisson event were that many losses.
  const double spread = worst.mean > 0 ? std::max(1.0, worst.variance / worst.mean) : 1;
  const double bound = std::ceil(spread * poisson_upper(worst.mean / spread, tail));
  return {std::min(likely.mean, limit),
          bound < limit ? static_cast<std::uint64_t>(bound) : known_count};
}

}  // namespace bloomery::cli
