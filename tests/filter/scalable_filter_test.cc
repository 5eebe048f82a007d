// SPDX-License-Identifier: Apache-2.0
#include "bloomery/filter/scalable_filter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <thread>
#include <vector>

#include "bloomery/filter/sizing.h"
#include "tests/support/binomial.h"
#include "tests/support/keys.h"
#include "tests/support/stored_words.h"

namespace bloomery {
namespace {

using testing::binomial_upper;
using testing::keys_of;
using testing::numbers;
using testing::stored_words;
using testing::texts;

std::uint64_t count_found(const ScalableFilter& filter, const std::vector<std::uint64_t>& keys) {
  std::vector<std::uint64_t> found((keys.size() + 63) / 64);
  filter.may_contain_many(keys, found);
  std::uint64_t count = 0;
  for (const std::uint64_t word : found) count += static_cast<std::uint64_t>(std::popcount(word));
  return count;
}

TEST(ScalableFilter, KeepsItsRateWhateverItHasGrownTo) {
  for (const double rate : {0.1, 0.01, 0.0005}) {
    for (const std::uint64_t capacity : {1U, 100U, 70'000U}) {
      ScalableFilter filter({.capacity = capacity, .false_positive_rate = rate});
      std::uint64_t size = 0;
      for (const std::uint64_t grown : {10U, 1'000U, 30'000U, 100'000U, 400'000U}) {
        filter.insert_many(numbers(size, grown - size));
        size = grown;
        ASSERT_EQ(count_found(filter, numbers(0, size)), size);
        EXPECT_LE(filter.predicted_rate(), rate) << size;
        EXPECT_LE(static_cast<double>(count_found(filter, numbers(1U << 30, 200'000))),
                  binomial_upper(200'000, rate))
            << size << " keys from " << capacity << " at " << rate;
      }
      EXPECT_NEAR(static_cast<double>(filter.inserted()), 400'000, 400'000 * rate);
      EXPECT_NEAR(filter.cardinality(), 400'000, 400'000 * (rate + 0.01));
      EXPECT_GE(filter.capacity(), filter.inserted());
    }
  }
}

// RedisBloom's chain of the same beginning takes 17 layers and 4.5 times the bits.
TEST(ScalableFilter, GrowsFromAHundredToTenMillionInLessThanTwiceTheMemory) {
  ScalableFilter filter({.capacity = 100, .false_positive_rate = 0.01});
  constexpr std::size_t kStep = 100'000;
  for (std::uint64_t i = 0; i < 100; ++i) filter.insert_many(numbers(i * kStep, kStep));
  const double theory = 1e7 * std::log2(100) / std::log(2);
  EXPECT_LE(static_cast<double>(filter.bit_count()), 2 * theory);
  EXPECT_LE(filter.layers().size(), 12U);
  EXPECT_LE(filter.predicted_rate(), 0.01);
  const auto found = static_cast<double>(count_found(filter, numbers(1U << 30, 1'000'000)));
  EXPECT_LE(found, binomial_upper(1'000'000, 0.01));
  EXPECT_GE(found, 1'000'000 * 0.006) << "bits are paid for a rate that nobody asked for";
}

TEST(ScalableFilter, IsHardlyLargerThanAFixedOneBeforeItGrows) {
  for (const std::uint64_t capacity : {1U, 200U, 10'000U, 65'536U, 65'537U, 1'000'000U}) {
    const FilterOptions options{.capacity = capacity, .false_positive_rate = 0.01};
    const auto fixed = static_cast<double>(blocked_geometry(options).bit_count);
    EXPECT_LE(static_cast<double>(ScalableFilter(options).bit_count()), 1.3 * fixed) << capacity;
  }
}

TEST(ScalableFilter, OfTheRightSizeHasOneLayer) {
  ScalableFilter filter({.capacity = 1'000'000, .false_positive_rate = 0.01});
  filter.insert_many(numbers(0, 1'000'000));
  EXPECT_EQ(filter.layers().size(), 1U);
  EXPECT_LE(static_cast<double>(filter.bit_count()), 1.25 * 9.59e6);
}

// Whatever is inserted together or one by one, with repetitions and across several layers.
TEST(ScalableFilter, BatchesAndSingleCallsBuildTheSameBits) {
  std::mt19937_64 random(7);
  ScalableFilter single({.capacity = 3, .false_positive_rate = 0.01});
  ScalableFilter batch({.capacity = 3, .false_positive_rate = 0.01});
  for (int round = 0; round < 60; ++round) {
    std::vector<std::uint64_t> keys(random() % 3'000);
    for (auto& key : keys) key = random() % 60'000;
    std::vector<char> was_new(keys.size());
    batch.insert_many(keys, {reinterpret_cast<bool*>(was_new.data()), was_new.size()});
    for (std::size_t i = 0; i < keys.size(); ++i) {
      ASSERT_EQ(single.insert(keys[i]), was_new[i] != 0) << round << " " << i;
    }
  }
  EXPECT_EQ(stored_words(single), stored_words(batch));
  EXPECT_EQ(single.layers(), batch.layers());
  EXPECT_GE(single.layers().size(), 5U);
}

TEST(ScalableFilter, MergesOnlyEqualChains) {
  const FilterOptions options{.capacity = 100};
  ScalableFilter a(options);
  ScalableFilter b(options);
  a.insert_many(numbers(0, 5'000));
  b.insert_many(numbers(100'000, 5'000));
  a.merge(b);
  EXPECT_EQ(count_found(a, numbers(0, 5'000)), 5'000U);
  EXPECT_EQ(count_found(a, numbers(100'000, 5'000)), 5'000U);
  b.insert_many(numbers(200'000, 500'000));
  EXPECT_THROW(a.merge(b), IncompatibleError);
  EXPECT_THROW(a.merge(ScalableFilter({.capacity = 100, .growth = {.expansion = 3}})),
               IncompatibleError);
  EXPECT_THROW(a.merge(ScalableFilter({.capacity = 100, .seed = 4})), IncompatibleError);
}

TEST(ScalableFilter, ClearsToItsFirstLayer) {
  ScalableFilter filter({.capacity = 100});
  filter.insert_many(numbers(0, 10'000));
  filter.clear();
  EXPECT_EQ(filter.layers().size(), 1U);
  EXPECT_EQ(filter.inserted(), 0U);
  EXPECT_EQ(count_found(filter, numbers(0, 10'000)), 0U);
  EXPECT_TRUE(filter.insert("again"));
}

TEST(ScalableFilter, ThreadsMakeItGrowTogether) {
  ScalableFilter filter({.capacity = 10, .false_positive_rate = 0.001});
  constexpr std::uint64_t kEach = 30'000;
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t t = 0; t < 4; ++t) {
      threads.emplace_back([&filter, t] {
        for (std::uint64_t i = 0; i < kEach; ++i) {
          filter.insert_concurrently(t * kEach + i);
          EXPECT_TRUE(filter.may_contain(t * kEach + i / 2));
        }
      });
    }
  }
  EXPECT_EQ(count_found(filter, numbers(0, 4 * kEach)), 4 * kEach);
  EXPECT_LE(filter.predicted_rate(), 0.001);
}

TEST(ScalableFilter, RefusesAGrowthThatIsNone) {
  for (const double expansion : {0.0, 1.0, 1e9, std::nan("")}) {
    EXPECT_THROW(ScalableFilter({.capacity = 10, .growth = {.expansion = expansion}}),
                 std::invalid_argument);
  }
  for (const double tightening : {0.0, 1.0, -1.0, std::nan("")}) {
    EXPECT_THROW(ScalableFilter({.capacity = 10, .growth = {.tightening = tightening}}),
                 std::invalid_argument);
  }
}

}  // namespace
}  // namespace bloomery
