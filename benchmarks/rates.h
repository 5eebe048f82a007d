// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "benchmarks/bench_keys.h"
#include "benchmarks/settings.h"
#include "bloomery/filter/parameters.h"

namespace bloomery::bench {

// How well filters of one kind, filled to capacity with keys of one pattern, keep their rate.
struct RateResult {
  FilterKind kind{};
  double asked_rate = 0;
  std::uint64_t keys = 0;
  Pattern pattern{};
  std::uint64_t trials = 0;
  std::uint64_t positives = 0;

  double ratio() const {
    return static_cast<double>(positives) / static_cast<double>(trials) / asked_rate;
  }
  // One standard deviation of the ratio's luck when the rate is just kept.
  double luck() const;
  bool is_wrong() const;
};

// Measures every combination and calls visit with each result as it comes.
void measure_rates(const Settings& settings, const std::function<void(const RateResult&)>& visit);

}  // namespace bloomery::bench
