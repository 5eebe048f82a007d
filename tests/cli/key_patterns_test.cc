// SPDX-License-Identifier: Apache-2.0
#include "cli/key_patterns.h"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <string>

#include "cli/binomial_interval.h"

namespace bloomery::cli {
namespace {

std::string key(KeyPattern pattern, std::uint64_t number) {
  std::string bytes(kPatternBytes, '\0');
  bytes.resize(write_pattern_key(pattern, number, bytes.data()));
  return bytes;
}

TEST(KeyPatterns, HaveTheirShape) {
  EXPECT_EQ(key(KeyPattern::counter, 0x0102), std::string("\x02\x01\0\0\0\0\0\0", 8));
  EXPECT_EQ(key(KeyPattern::shifted, 0x0102), std::string("\0\0\0\0\x02\x01\0\0", 8));
  EXPECT_EQ(key(KeyPattern::random, 0).size(), 8U);
  EXPECT_EQ(key(KeyPattern::url, ~std::uint64_t{0}),
            "https://example.org/items/18446744073709551615");
  const std::string uuid = key(KeyPattern::uuid, 5);
  ASSERT_EQ(uuid.size(), 36U);
  for (const std::size_t dash : {8U, 13U, 18U, 23U}) EXPECT_EQ(uuid[dash], '-');
  EXPECT_EQ(uuid[14], '4');
  EXPECT_NE(std::string("89ab").find(uuid[19]), std::string::npos);
}

TEST(KeyPatterns, NeverRepeatAKey) {
  for (const char* name : {"random", "counter", "shifted", "uuid", "url"}) {
    std::set<std::string> keys;
    for (std::uint64_t i = 0; i < 20'000; ++i) keys.insert(key(key_pattern_named(name), i));
    EXPECT_EQ(keys.size(), 20'000U) << name;
    EXPECT_EQ(key_pattern_name(key_pattern_named(name)), name);
  }
}

TEST(KeyPatterns, ComeInBatchesThatContinueEachOther) {
  PatternBatches batches(KeyPattern::url);
  EXPECT_EQ(batches.keys(10, 3).size(), 3U);
  EXPECT_EQ(batches.keys(10, 3)[2], key(KeyPattern::url, 12));
  EXPECT_EQ(batches.keys(0, 1'000'000).size(), PatternBatches::kBatchKeys);
}

TEST(KeyPatterns, AreListedWhereTheNameIsNone) {
  EXPECT_THROW(key_pattern_named("emoji"), std::invalid_argument);
}

// Against the closed forms for 0 and all, and Wilson's published example shape: the interval of a
// half is symmetric.
TEST(BinomialInterval, CoversTheShare) {
  const Interval none = binomial_interval(0, 1'000);
  EXPECT_EQ(none.low, 0);
  EXPECT_NEAR(none.high, 3.8415 / 1003.8415, 1e-6);
  const Interval all = binomial_interval(1'000, 1'000);
  EXPECT_EQ(all.high, 1);
  EXPECT_NEAR(all.low, 1'000 / 1003.8415, 1e-6);
  const Interval half = binomial_interval(500, 1'000);
  EXPECT_NEAR(half.low + half.high, 1, 1e-12);
  EXPECT_NEAR(half.high - half.low, 2 * 1.96 * 0.5 / std::sqrt(1003.8415), 1e-4);
}

}  // namespace
}  // namespace bloomery::cli
