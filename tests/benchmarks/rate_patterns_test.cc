// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/patterns/rate_patterns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <set>
#include <string>

#include "benchmarks/patterns/number_shapes.h"
#include "benchmarks/patterns/pattern_rate.h"

namespace bloomery::bench {
namespace {

// The keys of some numbers of a pattern, as bytes.
std::set<std::string> keys_of(const RatePattern& pattern, std::uint64_t first,
                              std::uint64_t count) {
  std::set<std::string> keys;
  visit_keys(pattern.make(first, count), [&](auto some) {
    for (const auto& key : some) keys.emplace(bytes_of(key));
  });
  return keys;
}

TEST(RatePatterns, AreThoseOfTheTrialsAndOfMeasureByTheirNames) {
  const auto patterns = rate_patterns();
  std::set<std::string> names;
  for (const RatePattern& pattern : patterns) names.insert(pattern.name);
  EXPECT_EQ(names.size(), patterns.size());
  EXPECT_EQ(std::ranges::count_if(
                patterns, [](const auto& each) { return each.name.starts_with("measure "); }),
            5);
  EXPECT_EQ(patterns.size(), 113 + 5U);
}

TEST(RatePatterns, GiveNoTwoNumbersOneKey) {
  constexpr std::uint64_t kSome = 500;
  for (const RatePattern& pattern : rate_patterns()) {
    ASSERT_GE(pattern.count, 4 * kSome) << pattern.name;
    const std::uint64_t middle = std::min<std::uint64_t>(pattern.count / 2, 50'000'000);
    std::set<std::string> keys = keys_of(pattern, 0, kSome);
    keys.merge(keys_of(pattern, middle, kSome));
    keys.merge(keys_of(pattern, pattern.count - kSome, kSome));
    EXPECT_EQ(keys.size(), 3 * kSome) << pattern.name;
  }
}

TEST(NumberShapes, AreWhatTheirNamesSay) {
  EXPECT_EQ(inverse(0x9e3779b97f4a7c15) * 0x9e3779b97f4a7c15, 1U);
  EXPECT_EQ(bits_reversed(0b1011), std::uint64_t{0b1101} << 60);
  EXPECT_EQ(bits_apart(0b1011), 0b1000101U);
  EXPECT_EQ(bits_apart(0xffffffff), 0x5555555555555555U);
  EXPECT_EQ(with_few_bits(0), 1U);
  EXPECT_EQ(with_few_bits(63), std::uint64_t{1} << 63);
  EXPECT_EQ(with_few_bits(64), 0b11U);
  EXPECT_EQ(std::popcount(with_few_bits(64 + 64 * 63 / 2)), 3);
  EXPECT_EQ(as_digits(1234567, 10), std::bit_cast<std::uint64_t>(std::array<char, 8>{
                                        '0', '1', '2', '3', '4', '5', '6', '7'}));
}

// A pattern that gives each key twice fills a filter half, and its strangers are members.
TEST(PatternRate, FindsWhatIsOver) {
  const RateQuestion question{.hash = HashId::fold, .keys = 20'000, .rate = 0.01, .positives = 500};
  const auto good =
      measure_pattern(integers("i", kEveryNumber, [](std::uint64_t i) { return i; }), question);
  ASSERT_TRUE(good);
  EXPECT_FALSE(good->is_over());
  EXPECT_GT(good->same, 0.5);
  EXPECT_GT(good->random, 0.5);
  const auto bad = measure_pattern(
      integers("i % 20001", kEveryNumber, [](std::uint64_t i) { return i % 20'001; }), question);
  ASSERT_TRUE(bad);
  EXPECT_TRUE(bad->is_over());
  EXPECT_FALSE(measure_pattern(integers("few", 39'999, scramble), question));
}

}  // namespace
}  // namespace bloomery::bench
