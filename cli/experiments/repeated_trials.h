// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "cli/experiments/exact_interval.h"
#include "cli/experiments/figure.h"

namespace bloomery::cli {

// An experiment of chance, run over several fixed seeds.
struct RepeatedTrials {
  std::uint64_t asked = 0;  // keys that were never inserted, in each trial
  std::vector<std::uint64_t> positives{};

  std::uint64_t total() const {
    std::uint64_t sum = 0;
    for (const std::uint64_t each : positives) sum += each;
    return sum;
  }
  std::uint64_t least() const { return *std::ranges::min_element(positives); }
  std::uint64_t most() const { return *std::ranges::max_element(positives); }
  double rate() const {
    return static_cast<double>(total()) / static_cast<double>(asked * positives.size());
  }
  Interval interval() const { return exact_binomial_interval(total(), asked * positives.size()); }

  // "173 to 222 of 9900 in 10 trials; rate 0.0201, with 95 % confidence 0.0192 to 0.0210"
  std::string text() const;
  Report::Value numbers() const;
};

// `run(seed)` says how many of `asked` absent keys were found, for seeds from 1.
template <class Run>
RepeatedTrials repeat_trials(std::uint64_t trial_count, std::uint64_t asked, Run run) {
  RepeatedTrials trials{.asked = asked};
  for (std::uint64_t seed = 1; seed <= trial_count; ++seed) trials.positives.push_back(run(seed));
  return trials;
}

// Two numbers of the seed's own for the i-th key: no two keys of all seeds are alike.
std::string random_hex(std::uint64_t seed, std::uint64_t i);
// random_hex(), written as a UUID is.
std::string random_uuid(std::uint64_t seed, std::uint64_t i);

}  // namespace bloomery::cli
