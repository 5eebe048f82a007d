// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "benchmarks/patterns/rate_patterns.h"
#include "bloomery/hash/native_hash.h"

namespace bloomery::bench {

// RateQuestion: what is asked of one pattern.
struct RateQuestion {
  HashId hash = HashId::product;
  std::uint64_t keys = 0;
  double rate = 0;
  std::uint64_t filters = 1;    // of different seeds, which together are asked
  std::uint64_t positives = 0;  // to be expected of all strangers together
};

// False positives as a share of those that random keys would give.
struct PatternRate {
  double same = 0;       // strangers are the keys of the pattern that follow
  double random = 0;     // strangers are random keys
  double deviation = 0;  // of luck in `same`: of the strangers asked, and of so few lines
  double random_deviation = 0;

  double worst() const noexcept { return same > random ? same : random; }
  // Returns whether either rate is above 1.02 by more than three standard deviations.
  bool is_over() const noexcept;
};

// Fills blocked filters with the keys of a pattern, and asks them. Empty where the pattern has not
// twice so many keys.
std::optional<PatternRate> measure_pattern(const RatePattern& pattern,
                                           const RateQuestion& question);

}  // namespace bloomery::bench
