#include "bloomery/filter/sort_pairs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <tuple>
#include <vector>

namespace bloomery {
namespace {

// Hashes, and what no hash gives: one first word for all, two, words that differ in their last bits
// or in their first only.
TEST(SortPairs, SortsByBothWordsHoweverTheyAreSpread) {
  std::mt19937_64 random(3);
  for (const std::uint64_t mask : {~std::uint64_t{0}, std::uint64_t{0}, std::uint64_t{1} << 40,
                                   std::uint64_t{0xfff}, ~std::uint64_t{0} << 60}) {
    for (const std::size_t count : {0U, 1U, 2U, 32U, 33U, 34U, 64U, 1'000U, 70'000U}) {
      std::vector<HashPair> pairs(count);
      for (HashPair& pair : pairs) pair = {random() & mask, random() % 1'000};
      auto expected = pairs;
      std::ranges::sort(expected, {},
                        [](const HashPair& pair) { return std::tuple(pair.h1, pair.h2); });
      sort_pairs(pairs);
      ASSERT_EQ(pairs, expected) << count << " pairs, " << mask;
    }
  }
}

}  // namespace
}  // namespace bloomery
