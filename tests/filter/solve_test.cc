// SPDX-License-Identifier: Apache-2.0
#include "bloomery/filter/solve.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <stdexcept>

#include "bloomery/filter/filter_kinds.h"
#include "bloomery/filter/rates.h"

namespace bloomery {
namespace {

TEST(Solve, CapacityAndRateGiveTheSizingOfTheKind) {
  for (const FilterKind kind : kSolvableKinds) {
    for (const double rate : {0.1, 0.01, 0.0001}) {
      const Solution found = solve(kind, {.capacity = 50'000, .false_positive_rate = rate});
      EXPECT_EQ(found.geometry,
                geometry_for(kind, {.capacity = 50'000, .false_positive_rate = rate}));
      EXPECT_LE(found.predicted_rate, rate);
    }
  }
}

TEST(Solve, RateAndBitsGiveTheLargestCapacity) {
  for (const FilterKind kind : kSolvableKinds) {
    const Solution found = solve(kind, {.false_positive_rate = 0.01, .bit_count = 1'000'000});
    const auto bits = [&](std::uint64_t capacity) {
      return geometry_for(kind, {.capacity = capacity, .false_positive_rate = 0.01}).bit_count;
    };
    EXPECT_LE(bits(found.capacity), 1'000'000U);
    EXPECT_GT(bits(found.capacity + 1), 1'000'000U);
    EXPECT_LE(found.geometry.bit_count, 1'000'000U);
    EXPECT_LE(found.predicted_rate, 0.01);
  }
}

TEST(Solve, CapacityAndBitsGiveTheLowestRate) {
  for (const FilterKind kind : kSolvableKinds) {
    const Solution best = solve(kind, {.capacity = 10'000, .bit_count = 102'400});
    for (std::uint32_t probes = 1; probes <= 16; ++probes) {
      const Solution other =
          solve(kind, {.capacity = 10'000, .bit_count = 102'400, .probe_count = probes});
      EXPECT_EQ(other.geometry.probe_count, probes);
      EXPECT_LE(best.predicted_rate, other.predicted_rate);
    }
  }
}

TEST(Solve, ProbesAreBestWhereHalfOfTheBitsAreSet) {
  for (const FilterKind kind : kSolvableKinds) {
    const Solution by_capacity = solve(kind, {.capacity = 100'000, .probe_count = 7});
    const Solution by_bits =
        solve(kind, {.bit_count = by_capacity.geometry.bit_count, .probe_count = 7});
    EXPECT_EQ(by_capacity.geometry.probe_count, 7U);
    EXPECT_NEAR(expected_fill_ratio(by_capacity.geometry, 100'000), 0.5, 0.03);
    EXPECT_NEAR(static_cast<double>(by_bits.capacity), 100'000, 100);
  }
}

// Whole units leave out nearly half of 1000 bits; keys that those would have held fill no others.
TEST(Solve, KeysAreOfTheBitsThatAreUsed) {
  for (const FilterKind kind : kSolvableKinds) {
    const Solution found = solve(kind, {.bit_count = 1000, .probe_count = 7});
    EXPECT_LE(found.geometry.bit_count, 1000U);
    EXPECT_NEAR(expected_fill_ratio(found.geometry, static_cast<double>(found.capacity)), 0.5,
                0.03);
  }
}

TEST(Solve, GivenProbesAreKept) {
  for (const FilterKind kind : kSolvableKinds) {
    const Solution found =
        solve(kind, {.capacity = 10'000, .false_positive_rate = 0.01, .probe_count = 4});
    EXPECT_EQ(found.geometry.probe_count, 4U);
    EXPECT_LE(found.predicted_rate, 0.01);
    const Solution back = solve(
        kind,
        {.false_positive_rate = 0.01, .bit_count = found.geometry.bit_count, .probe_count = 4});
    EXPECT_GE(back.capacity, 10'000U);
    EXPECT_LE(back.capacity, 10'400U);
  }
}

TEST(Solve, AnOverfullFilterOfAnySizeHasRateOne) {
  for (const FilterKind kind : kSolvableKinds) {
    const Solution found = solve(kind, {.capacity = ~std::uint64_t{0}, .bit_count = 512});
    EXPECT_EQ(found.predicted_rate, 1);
  }
}

TEST(Solve, RefusesWhatNeedNotOrCannotBe) {
  const auto refuses = [](FilterKind kind, const Known& known) {
    EXPECT_THROW(solve(kind, known), std::invalid_argument);
  };
  for (const FilterKind kind : kSolvableKinds) {
    refuses(kind, {});
    refuses(kind, {.capacity = 10});
    refuses(kind, {.false_positive_rate = 0.1, .probe_count = 3});
    refuses(kind, {.capacity = 0, .bit_count = 4096});
    refuses(kind, {.capacity = 10, .false_positive_rate = std::nan("")});
    refuses(kind, {.capacity = 10, .bit_count = 1});
    refuses(kind, {.capacity = 10, .bit_count = (std::uint64_t{1} << 60) + 1});
    refuses(kind, {.capacity = 10, .probe_count = 256});
    refuses(kind, {.capacity = ~std::uint64_t{0}, .probe_count = 16});
    refuses(kind, {.bit_count = 2, .probe_count = 16});
    refuses(kind, {.false_positive_rate = 1e-9, .bit_count = 16});
    refuses(kind, {.capacity = 1'000, .false_positive_rate = 0.01, .bit_count = 1'024});
    refuses(
        kind,
        {.capacity = 1'000, .false_positive_rate = 0.01, .bit_count = 16'384, .probe_count = 1});
  }
  refuses(FilterKind::blocked, {.capacity = 10, .bit_count = 4096, .probe_count = 17});
}

}  // namespace
}  // namespace bloomery
