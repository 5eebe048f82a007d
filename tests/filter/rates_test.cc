// SPDX-License-Identifier: Apache-2.0
#include "bloomery/filter/rates.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "bloomery/bits/bit_ops.h"
#include "bloomery/filter/blocked_filter.h"

namespace bloomery {
namespace {

TEST(Rates, ClassicIsTheTextbooksFormula) {
  const Geometry geometry{9'585'059, 7, 0};
  EXPECT_NEAR(predicted_rate(geometry, 1'000'000), std::pow(1 - std::exp(-7.0 / 9.585059), 7),
              1e-8);
}

// The Poisson sum against published bits a key: 10.10 at 1 % and 15.72 at 0.1 % for one bit in each
// of eight lanes of a line (and two lines' 19.77 to 19.89 at 0.01 %).
TEST(Rates, BlockedIsThePoissonMixture) {
  const double keys = 10'000'000;
  const auto geometry = [&](double bits, std::uint32_t probes, std::uint32_t lines) {
    return Geometry{static_cast<std::uint64_t>(bits * keys / 1024) * 1024, probes, lines};
  };
  EXPECT_NEAR(predicted_rate(geometry(10.10, 8, 1), keys), 0.01, 0.0001);
  EXPECT_NEAR(predicted_rate(geometry(15.72, 8, 1), keys), 0.001, 0.00001);
  EXPECT_NEAR(predicted_rate(geometry(19.89, 12, 2), keys), 0.0001, 0.000001);
}

TEST(Rates, AnEmptyFilterNeverErrsAndAnOverfullOneAlways) {
  for (const Geometry geometry :
       {Geometry{6'400, 5, 0}, Geometry{5'120, 6, 1}, Geometry{10'240, 9, 2}}) {
    EXPECT_EQ(predicted_rate(geometry, 0), 0);
    EXPECT_GT(predicted_rate(geometry, 1e6), 0.999);
    EXPECT_EQ(expected_fill_ratio(geometry, 0), 0);
    EXPECT_NEAR(expected_fill_ratio(geometry, 1e6), 1, 1e-9);
  }
}

TEST(Rates, CardinalityInvertsTheFill) {
  for (const Geometry geometry :
       {Geometry{640'000, 5, 0}, Geometry{512'000, 6, 1}, Geometry{1'024'000, 9, 2}}) {
    for (const double keys : {10.0, 1'000.0, 100'000.0}) {
      const double ones =
          expected_fill_ratio(geometry, keys) * static_cast<double>(geometry.bit_count);
      EXPECT_NEAR(estimate_cardinality(geometry, static_cast<std::uint64_t>(std::llround(ones))),
                  keys, 0.01 * keys + 1);
    }
    EXPECT_EQ(estimate_cardinality(geometry, 0), 0);
    EXPECT_TRUE(std::isfinite(estimate_cardinality(geometry, geometry.bit_count)));
  }
}

// Sizing pads small filters by the predicted deviation: it must not be less than filters of other
// seeds show. It is more where there are few lines, which share a fixed number of keys and not a
// Poisson one.
TEST(Rates, TheSpreadOfSmallFiltersIsCovered) {
  constexpr int kFilters = 300;
  for (const std::uint64_t capacity : {60U, 2'000U}) {
    double sum = 0;
    double squares = 0;
    RateMoments expected;
    for (std::uint64_t seed = 0; seed < kFilters; ++seed) {
      BlockedFilter filter({.capacity = capacity, .false_positive_rate = 0.02, .seed = seed});
      expected = rate_moments(filter.geometry(), static_cast<double>(capacity));
      for (std::uint64_t key = 0; key < capacity; ++key) filter.insert(key);
      const double rate = filter.predicted_rate();
      sum += rate;
      squares += rate * rate;
    }
    const double mean = sum / kFilters;
    const double deviation = std::sqrt(squares / kFilters - mean * mean);
    EXPECT_LE(mean, expected.mean + 5 * deviation / std::sqrt(kFilters));
    EXPECT_GE(mean, 0.85 * expected.mean);
    EXPECT_LE(deviation, 1.1 * std::sqrt(expected.variance));
    EXPECT_GT(deviation, 0.1 * std::sqrt(expected.variance));
  }
}

TEST(Rates, TheCurrentRateIsThatOfTheBits) {
  // Half of each lane set: a probe hits with 1/2, whatever the geometry.
  std::vector<std::uint64_t> words(16, 0x5555555555555555);
  EXPECT_DOUBLE_EQ(current_rate({1'024, 3, 0}, BitView(words)), 1.0 / 8);
  EXPECT_DOUBLE_EQ(current_rate({1'024, 8, 1}, BitView(words)), 1.0 / 256);
  EXPECT_DOUBLE_EQ(current_rate({1'024, 3, 1}, BitView(words)), 1.0 / 8);
  EXPECT_DOUBLE_EQ(current_rate({1'024, 5, 2}, BitView(words)), 1.0 / 32);
  // A full line and an empty one: half of the keys fall on the full line, with one line a key; with
  // two lines none passes.
  for (std::size_t i = 0; i < 16; ++i) words[i] = i < 8 ? ~std::uint64_t{0} : 0;
  EXPECT_DOUBLE_EQ(current_rate({1'024, 8, 1}, BitView(words)), 0.5);
  EXPECT_DOUBLE_EQ(current_rate({1'024, 5, 2}, BitView(words)), 0);
}

}  // namespace
}  // namespace bloomery
