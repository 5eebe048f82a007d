// SPDX-License-Identifier: Apache-2.0
#include "bloomery/filter/distinct_pairs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "tests/support/keys.h"

namespace bloomery {
namespace {

std::vector<HashPair> sorted(std::span<const HashPair> pairs) {
  std::vector<HashPair> all(pairs.begin(), pairs.end());
  std::ranges::sort(all, {}, [](const HashPair& pair) { return std::tuple(pair.h1, pair.h2); });
  return all;
}

std::vector<HashPair> once_each(std::span<const HashPair> pairs) {
  auto all = sorted(pairs);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

// Hashes, and what no hash gives: one first word for all, two, words that differ in their last bits
// or in their first only; many that are equal.
TEST(DistinctPairs, HasEachOnceHoweverTheyAreSpread) {
  std::mt19937_64 random(3);
  for (const std::uint64_t mask : {~std::uint64_t{0}, std::uint64_t{0}, std::uint64_t{1} << 40,
                                   std::uint64_t{0xfff}, ~std::uint64_t{0} << 60}) {
    for (const std::uint64_t second : {1ULL, 1'000ULL, ~0ULL}) {
      // The last is parted in two steps.
      for (const std::size_t count : {0U, 1U, 2U, 32U, 33U, 300U, 1'000U, 20'000U, 150'000U}) {
        if (count > 20'000 && second != ~0ULL) continue;
        std::vector<HashPair> pairs(count);
        for (HashPair& pair : pairs) pair = {random() & mask, random() % second};
        ASSERT_EQ(sorted(DistinctPairs(pairs, NativeHash())), once_each(pairs))
            << count << " pairs, " << mask << ", " << second;
      }
    }
  }
}

TEST(DistinctPairs, PutsNeighboursTogether) {
  const auto keys = testing::random_keys(200'000, 4);
  const DistinctPairs pairs(keys, NativeHash());
  ASSERT_EQ(pairs.size(), keys.size());
  const std::span<const HashPair> all = pairs;
  // The pairs are in at least as many groups as 32 keys a group make.
  EXPECT_TRUE(std::ranges::is_sorted(all, {}, [](HashPair pair) { return pair.h1 >> 52; }));
}

TEST(DistinctPairs, HashesKeysOfAnySort) {
  const NativeHash hash;
  const std::vector<std::string> texts{"a", "b", "a", "", std::string(100, 'x')};
  std::vector<HashPair> expected;
  for (const std::string& text : texts) expected.push_back(hash(Key(text)));
  EXPECT_EQ(sorted(DistinctPairs(testing::keys_of(texts), hash)), once_each(expected));

  const std::vector<std::uint64_t> integers{5, 6, 5, 0};
  expected.clear();
  for (const std::uint64_t integer : integers) expected.push_back(hash(integer));
  EXPECT_EQ(sorted(DistinctPairs(integers, hash)), once_each(expected));
}

}  // namespace
}  // namespace bloomery
