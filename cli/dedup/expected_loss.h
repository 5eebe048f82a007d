// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "bloomery/filter/geometry.h"

namespace bloomery::cli {

// How many new keys a filter took for known while it was filled.
struct Loss {
  double expected = 0;
  std::uint64_t bound = 0;  // not more than this many, with 99.9 % confidence
};

inline constexpr double kLossConfidence = 0.999;

// Losses between answers "new" that were given at known rates: between two at a rate r stand
// r/(1-r) keys that were new and lost.
struct LossSum {
  double mean = 0;
  double variance = 0;

  // `news` answers "new" at `rate`.
  void add(double rate, double news) noexcept;
};

// Returns the loss that `likely` expects, and the bound that `worst` exceeds with a chance of at
// most `tail`. Neither is above `known_count`.
Loss loss_of(const LossSum& likely, const LossSum& worst, double tail,
             std::uint64_t known_count) noexcept;

// Estimates the loss of a filter that held `keys_before` keys and then got a stream, of which it
// answered `new_count` times "new" and `known_count` times "maybe known". Between two answers
// "new", at a rate r, stand r/(1-r) keys that were new and lost. Those are summed at the rate of
// each fill on the way, not at the last. The bound adds how far the bits of one filter stray from
// the predicted rate, and how far a Poisson number strays from its mean. Neither is above
// `known_count`.
Loss estimate_loss(const Geometry& geometry, double keys_before, std::uint64_t new_count,
                   std::uint64_t known_count) noexcept;

// The smallest b that a Poisson number exceeds with a chance of at most `tail` (0 to 0.5).
double poisson_upper(double mean, double tail) noexcept;

}  // namespace bloomery::cli
