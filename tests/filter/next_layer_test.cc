// SPDX-License-Identifier: Apache-2.0
#include "bloomery/filter/next_layer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "bloomery/filter/sizing.h"

namespace bloomery {
namespace {

double bits(const Layer& layer) {
  return static_cast<double>(layer.geometry.bit_count);
}

// Fixed filters come in whole lines; one line is 64 bytes.
TEST(NextLayer, FirstTakesAtMostThreeTenthsMoreThanAFixedFilterOrOneLine) {
  for (const double rate : {0.9, 0.5, 0.1, 0.01, 0.0001, 1e-9}) {
    for (std::uint64_t capacity = 1; capacity < 20'000'000; capacity += 1 + capacity / 2) {
      const FilterOptions options{.capacity = capacity, .false_positive_rate = rate};
      const Geometry fixed = blocked_geometry(options);
      const auto fixed_bits = static_cast<double>(fixed.bit_count);
      const Layer first = next_layer(options, {});
      const double a_line = fixed.line_bits * fixed.lines_per_key;
      EXPECT_LE(bits(first), std::max(1.3 * fixed_bits, fixed_bits + a_line))
          << capacity << " keys at " << rate;
      EXPECT_LT(first.false_positive_rate, rate);
    }
  }
}

TEST(NextLayer, FirstOfManyKeysTakesNoMoreThanItsPagesSay) {
  const auto excess = [](std::uint64_t capacity, double rate) {
    const FilterOptions options{.capacity = capacity, .false_positive_rate = rate};
    return bits(next_layer(options, {})) / static_cast<double>(blocked_geometry(options).bit_count);
  };
  for (std::uint64_t capacity = 10'000; capacity < 20'000'000; capacity += 1 + capacity / 50) {
    EXPECT_LE(excess(capacity, 0.01), 1.16) << capacity;
    for (const double rate : {1e-4, 1e-5, 1e-6, 1e-9}) {
      EXPECT_LE(excess(capacity, rate), 1.09) << capacity << " keys at " << rate;
    }
  }
}

TEST(NextLayer, OneKeyMoreNeverMakesASmallerFilter) {
  for (const double rate : {0.1, 0.01, 0.0001}) {
    double before = 0;
    for (std::uint64_t capacity : {1U, 2U, 30U, 100U, 1'000U, 19'999U, 20'000U, 20'001U, 65'535U,
                                   65'536U, 65'537U, 65'538U, 100'000U, 1'000'000U}) {
      const Layer first = next_layer({.capacity = capacity, .false_positive_rate = rate}, {});
      EXPECT_GE(bits(first), before) << capacity << " keys at " << rate;
      before = bits(first);
    }
  }
}

TEST(NextLayer, SumsStayBelowTheAskedRate) {
  for (const std::uint64_t capacity : {1ULL, 100ULL, 65'537ULL, 10'000'000ULL}) {
    for (const Growth growth : {Growth{}, Growth{2, 0.5}, Growth{1.2, 0.95}, Growth{40, 0.8}}) {
      for (const double rate : {0.9, 0.02}) {
        const FilterOptions options{
            .capacity = capacity, .false_positive_rate = rate, .growth = growth};
        std::vector<Layer> layers;
        double sum = 0;
        for (std::uint64_t held = 0; layers.size() < 30 && held < (1ULL << 36);) {
          layers.push_back(next_layer(options, layers));
          sum += layers.back().false_positive_rate;
          held += layers.back().capacity;
          EXPECT_GE(layers.back().capacity, 1U);
        }
        EXPECT_LE(sum, rate);
      }
    }
  }
}

// Bits over those of the best classic filter of as many keys, at every size from 10^4 to 10^8.
TEST(NextLayer, GrowingFromAHundredTakesTwelveLayersAndNoMoreThanItsPagesSay) {
  const FilterOptions options{.capacity = 100, .false_positive_rate = 0.01};
  const double classic = std::log2(100) / std::log(2);
  std::vector<Layer> layers{next_layer(options, {})};
  double held = 100;
  double all_bits = bits(layers[0]);
  double sum = 0;
  double worst = 0;
  double steps = 0;
  std::size_t at_ten_million = 0;
  for (double keys = 1e4; keys <= 1e8; keys *= 1.02) {
    while (held < keys) {
      layers.push_back(next_layer(options, layers));
      all_bits += bits(layers.back());
      if (held >= 1e4) worst = std::max(worst, all_bits / (held * classic));
      held += static_cast<double>(layers.back().capacity);
    }
    sum += all_bits / (keys * classic);
    ++steps;
    if (keys <= 1e7) at_ten_million = layers.size();
  }
  EXPECT_LE(sum / steps, 2.7);
  EXPECT_LE(worst, 4.1);
  EXPECT_LE(at_ten_million, 12U);
}

// Options and layers of filters that were stored when the first layer had a 128th of the rate.
struct EarlierChain {
  FilterOptions options;
  std::vector<Layer> layers;
};

std::vector<EarlierChain> earlier_chains() {
  return {{{.capacity = 100, .false_positive_rate = 0.01, .growth = {1.5, 0.9}},
           {{{3072, 14, 2}, 100, 7.8125000000000002e-05},
            {{32768, 14, 2}, 1500, 7.8125000000000002e-05},
            {{498688, 14, 2}, 24000, 7.8125000000000002e-05},
            {{6082560, 8, 1}, 384000, 0.00096093749999999977},
            {{3311104, 8, 1}, 204800, 0.00086484374999999994},
            {{5055488, 8, 1}, 307200, 0.00077835937499999997},
            {{7728128, 8, 1}, 460800, 0.00070052343749999997}}},
          {{.capacity = 3, .false_positive_rate = 0.001, .growth = {2, 0.5}},
           {{{1024, 16, 2}, 3, 7.8125000000000002e-06},
            {{2048, 16, 2}, 45, 7.8125000000000002e-06},
            {{20480, 16, 2}, 720, 7.8125000000000002e-06},
            {{306176, 16, 2}, 11520, 7.8125000000000002e-06},
            {{3314688, 8, 1}, 184320, 0.00048046874999999999},
            {{3515392, 12, 2}, 196608, 0.000240234375}}},
          {{.capacity = 5000, .false_positive_rate = 0.1, .growth = {3, 0.8}},
           {{{86528, 8, 1}, 5000, 0.00078125000000000004},
            {{636928, 6, 1}, 75000, 0.019218749999999996},
            {{1432064, 6, 1}, 160000, 0.015374999999999998}}},
          {{.capacity = 65537, .false_positive_rate = 0.01, .growth = {1.5, 0.9}},
           {{{766976, 8, 1}, 65537, 0.0050000000000000001},
            {{593920, 8, 1}, 32769, 0.0004999999999999999},
            {{815104, 10, 2}, 49153, 0.00044999999999999993},
            {{1239040, 10, 2}, 73730, 0.00040499999999999998}}}};
}

TEST(NextLayer, AFilterThatIsStoredGrowsOnAsItBegan) {
  for (const EarlierChain& chain : earlier_chains()) {
    for (std::size_t had = 1; had < chain.layers.size(); ++had) {
      const Layer next = next_layer(chain.options, std::span(chain.layers).first(had));
      const Layer& then = chain.layers[had];
      SCOPED_TRACE(std::to_string(had) + " layers from " + std::to_string(then.capacity));
      EXPECT_EQ(next.geometry, then.geometry);
      EXPECT_EQ(next.capacity, then.capacity);
      EXPECT_LE(next.false_positive_rate, then.false_positive_rate * (1 + 1e-12));
    }
  }
}

}  // namespace
}  // namespace bloomery
