// SPDX-License-Identifier: Apache-2.0
#include "bloomery/filter/sizing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <thread>
#include <vector>

#include "bloomery/filter/rates.h"

namespace bloomery {
namespace {

double bits_per_key(const Geometry& geometry, std::uint64_t keys) {
  return static_cast<double>(geometry.bit_count) / static_cast<double>(keys);
}

constexpr double kRates[] = {0.999999, 0.5,  0.1,  0.03, 0.01, 0.002,
                             0.001,    1e-4, 1e-5, 1e-6, 1e-9, 1e-25};
constexpr std::uint64_t kCapacities[] = {1,     2,         10,          63,
                                         1'000, 1'000'000, 100'000'000, 10'000'000'000};

// Asks for more sizes than a thread keeps, again in another order, and by a thread that kept none.
TEST(Sizing, IsTheSameHoweverOftenItIsAsked) {
  struct Asked {
    FilterOptions options;
    std::uint32_t line_bits;
    Geometry geometry;
  };
  std::vector<Asked> all;
  for (const double rate : {0.1, 0.01, 1e-5}) {
    for (const std::uint64_t capacity : kCapacities) {
      for (const std::uint32_t line_bits : {256U, 512U}) {
        const FilterOptions options{.capacity = capacity, .false_positive_rate = rate};
        all.push_back({options, line_bits, blocked_geometry(options, line_bits)});
      }
    }
  }
  const auto ask_again = [&] {
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (const Asked& each : {all[i], all[all.size() - 1 - i], all[i]}) {
        EXPECT_EQ(blocked_geometry(each.options, each.line_bits), each.geometry);
      }
    }
  };
  ask_again();
  std::thread(ask_again).join();
}

TEST(Sizing, KeepsTheRateWithLittleToSpare) {
  for (const double rate : kRates) {
    for (const std::uint64_t capacity : kCapacities) {
      const FilterOptions options{.capacity = capacity, .false_positive_rate = rate};
      for (const Geometry& geometry : {classic_geometry(options), blocked_geometry(options)}) {
        const double predicted = predicted_rate(geometry, static_cast<double>(capacity));
        EXPECT_LE(predicted, rate);
        if (capacity >= 1'000'000 && rate >= 1e-9) {
          EXPECT_GE(predicted, 0.97 * rate) << capacity << " " << rate;
        }
      }
    }
  }
}

// 9.585, 14.378 and 19.170 bits a key: n ln(1/p) / ln(2)^2 with the better whole number of probes.
TEST(Sizing, ClassicIsTheTextbooksSize) {
  const std::uint64_t n = 1'000'000;
  EXPECT_NEAR(bits_per_key(classic_geometry({n, 0.01}), n), 9.593, 0.005);
  EXPECT_NEAR(bits_per_key(classic_geometry({n, 0.001}), n), 14.378, 0.005);
  EXPECT_NEAR(bits_per_key(classic_geometry({n, 0.0001}), n), 19.171, 0.005);
  EXPECT_EQ(classic_geometry({n, 0.01}).probe_count, 7U);
  EXPECT_EQ(classic_geometry({n, 0.001}).probe_count, 10U);
}

TEST(Sizing, BlockedCostsAFewPercentMore) {
  const std::uint64_t n = 1'000'000;
  const auto excess = [&](double rate) {
    return bits_per_key(blocked_geometry({n, rate}), n) /
           bits_per_key(classic_geometry({n, rate}), n);
  };
  EXPECT_LE(excess(0.01), 1.06);
  EXPECT_LE(excess(0.001), 1.10);
  EXPECT_LE(excess(0.0001), 1.05);
  EXPECT_LE(excess(1e-6), 1.10);
  for (double rate = 0.5; rate >= 1e-6; rate *= 0.98) EXPECT_LE(excess(rate), 1.13) << rate;
  EXPECT_EQ(blocked_geometry({n, 0.01}).lines_per_key, 1U);
  EXPECT_EQ(blocked_geometry({n, 0.001}).lines_per_key, 1U);
  EXPECT_EQ(blocked_geometry({n, 0.0001}).lines_per_key, 2U);
}

TEST(Sizing, MoreKeysNeverTakeFewerBits) {
  for (const double rate : {0.5, 0.01, 1e-5}) {
    std::uint64_t classic = 0;
    std::uint64_t blocked = 0;
    for (std::uint64_t capacity = 1; capacity < 3'000; capacity += 7) {
      const FilterOptions options{.capacity = capacity, .false_positive_rate = rate};
      EXPECT_GE(classic_geometry(options).bit_count, classic) << capacity;
      EXPECT_GE(blocked_geometry(options).bit_count, blocked) << capacity;
      classic = classic_geometry(options).bit_count;
      blocked = blocked_geometry(options).bit_count;
    }
  }
}

TEST(Sizing, RefusesWhatCannotBe) {
  for (const double rate :
       {0.0, 1.0, -0.5, 2.0, 1e-26, std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(classic_geometry({10, rate}), std::invalid_argument) << rate;
    EXPECT_THROW(blocked_geometry({10, rate}), std::invalid_argument) << rate;
  }
  EXPECT_THROW(classic_geometry({0, 0.01}), std::invalid_argument);
  EXPECT_THROW(blocked_geometry({~std::uint64_t{0}, 0.01}), std::invalid_argument);
  EXPECT_THROW(classic_geometry({~std::uint64_t{0}, 1e-9}), std::invalid_argument);
}

TEST(Sizing, SaysWhatWasWrongAndWhatIsAllowed) {
  try {
    classic_geometry({10, 1.5});
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "false positive rate is 1.5: from 1e-25 to below 1");
  }
}

TEST(Sizing, RefusesProbesThatNoFilterHas) {
  struct Shape {
    std::uint32_t probe_count;
    std::uint32_t lines_per_key;
  };
  const FilterOptions options{1'000, 0.1};
  for (const auto [probes, lines] : {Shape{0, 0}, Shape{256, 0}, Shape{0, 1}, Shape{9, 1},
                                     Shape{1, 2}, Shape{17, 2}, Shape{8, 3}, Shape{8, 1U << 29}}) {
    EXPECT_THROW(geometry_with_probes(probes, lines, options), std::invalid_argument)
        << probes << " on " << lines;
  }
  for (const auto [probes, lines] :
       {Shape{1, 0}, Shape{255, 0}, Shape{1, 1}, Shape{8, 1}, Shape{2, 2}, Shape{16, 2}}) {
    EXPECT_EQ(geometry_with_probes(probes, lines, options).probe_count, probes);
  }
  try {
    geometry_with_probes(300, 0, options);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(),
                 "no filter has 300 probes on 0 lines a key: 1 to 255 on 0 (anywhere), 1 to 8 on "
                 "1, 2 to 16 on 2");
  }
}

}  // namespace
}  // namespace bloomery
