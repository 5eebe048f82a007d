// SPDX-License-Identifier: Apache-2.0
#include "cli/dedup/expected_loss.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "bloomery/filter/filter_kinds.h"
#include "bloomery/filter/rates.h"

namespace bloomery::cli {
namespace {

// Sum of the Poisson terms above `bound`.
double tail_above(double mean, double bound) {
  double sum = 0;
  for (double i = bound + 1; i < bound + 400; ++i) {
    sum += std::exp(i * std::log(mean) - mean - std::lgamma(i + 1));
  }
  return sum;
}

TEST(PoissonUpper, IsTheSmallestThatHolds) {
  for (const double mean : {1e-9, 1e-4, 0.05, 1.0, 3.7, 42.0, 499.0}) {
    for (const double tail : {0.0005, 0.01, 0.3}) {
      const double bound = poisson_upper(mean, tail);
      EXPECT_LE(tail_above(mean, bound), tail * 1.0001) << mean << " " << tail;
      if (bound == 0) continue;
      EXPECT_GT(tail_above(mean, bound - 1), tail * 0.9999) << mean << " " << tail;
    }
  }
  EXPECT_EQ(poisson_upper(0, 0.001), 0);
}

TEST(PoissonUpper, ContinuesSmoothlyWhereItIsApproximated) {
  const double below = poisson_upper(500, 0.0005);
  EXPECT_GE(poisson_upper(500.001, 0.0005), below);
  EXPECT_LE(poisson_upper(500.001, 0.0005), below + 3);
  EXPECT_LE(tail_above(2'000, poisson_upper(2'000, 0.0005)), 0.0005);
}

// Streams of different keys through filters too small for them: expectation and bound against what
// was really lost.
class LossOfAFilter : public ::testing::TestWithParam<FilterKind> {};

TEST_P(LossOfAFilter, IsWhatIsExpectedAndRarelyBeyondTheBound) {
  constexpr int kTrials = 1'500;
  constexpr std::uint64_t kKeys = 600;
  double expected = 0;
  double lost = 0;
  int beyond = 0;
  double bounds = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    AnyFilter filter = make_filter(
        GetParam(),
        {.capacity = 400, .false_positive_rate = 0.02, .seed = static_cast<std::uint64_t>(trial)});
    std::uint64_t new_count = 0;
    for (std::uint64_t i = 0; i < kKeys; ++i) {
      new_count += filter.insert("key" + std::to_string(i)) ? 1 : 0;
    }
    const Loss loss = estimate_loss(filter.geometry(), 0, new_count, kKeys - new_count);
    // Uncapped, as in a stream with many repeats beside.
    const Loss free = estimate_loss(filter.geometry(), 0, new_count, 1'000'000);
    expected += free.expected;
    lost += static_cast<double>(kKeys - new_count);
    bounds += static_cast<double>(free.bound);
    beyond += free.bound < kKeys - new_count ? 1 : 0;
    EXPECT_LE(loss.bound, kKeys - new_count);
  }
  EXPECT_NEAR(expected, lost, 0.08 * lost);
  EXPECT_LE(beyond, 6) << "1.5 of 1,500 are allowed on average";
  EXPECT_LT(bounds, 6 * lost) << "a bound that says something";
}

TEST_P(LossOfAFilter, CountsFromTheFillAtTheStart) {
  const Geometry geometry =
      geometry_for(GetParam(), {.capacity = 1'000'000, .false_positive_rate = 1e-4});
  const double whole = estimate_loss(geometry, 0, 2'000'000, 1'000'000'000).expected;
  const double first = estimate_loss(geometry, 0, 1'000'000, 1'000'000'000).expected;
  const double second = estimate_loss(geometry, 1'000'000, 1'000'000, 1'000'000'000).expected;
  EXPECT_NEAR(first + second, whole, 0.01 * whole);
  EXPECT_LT(first, 1'000'000 * 1e-4 / 2) << "far less than the last rate times the keys";
  EXPECT_NEAR(estimate_loss(geometry, 1'000'000, 0, 100).expected,
              predicted_rate(geometry, 1'000'000), 1e-6);
}

TEST_P(LossOfAFilter, IsNeverMoreThanWasDropped) {
  const Geometry geometry = geometry_for(GetParam(), {.capacity = 10, .false_positive_rate = 0.5});
  const Loss full = estimate_loss(geometry, 1e9, 5, 1'234);
  EXPECT_EQ(full.bound, 1'234U);
  EXPECT_EQ(full.expected, 1'234);
  const Loss none = estimate_loss(geometry, 0, 0, 0);
  EXPECT_EQ(none.bound, 0U);
  EXPECT_EQ(none.expected, 0);
}

INSTANTIATE_TEST_SUITE_P(Kinds, LossOfAFilter,
                         ::testing::Values(FilterKind::blocked, FilterKind::classic),
                         [](const auto& kind) { return std::string(kind_name(kind.param)); });

}  // namespace
}  // namespace bloomery::cli
