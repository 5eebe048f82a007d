// SPDX-License-Identifier: Apache-2.0
#include "bloomery/bits/bit_view.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "bloomery/bits/counters.h"

namespace bloomery {
namespace {

TEST(BitView, SeesCountersAsBits) {
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> words(64);
  std::vector<std::uint64_t> bits(words.size() / kCounterBits);
  for (int i = 0; i < 700; ++i) {
    const std::uint64_t position = random() % (words.size() * kCountersPerWord);
    EXPECT_EQ(raise_counter(words, position) == 0, set_bit(bits, position));
  }
  const BitView counters(words, kCounterBits);
  const BitView plain(bits);
  ASSERT_EQ(counters.size(), plain.size());
  for (std::size_t i = 0; i < plain.size(); ++i) EXPECT_EQ(counters[i], plain[i]);
  EXPECT_EQ(counters.count_ones(), plain.count_ones());
  EXPECT_EQ(counters.subview(3, 5).count_ones(), plain.subview(3, 5).count_ones());
  for (std::uint64_t at = 0; at < 64 * bits.size(); ++at) {
    EXPECT_EQ(counters.test(at), test_bit(bits, at));
  }
}

TEST(Counters, AddUpToFifteen) {
  EXPECT_EQ(add_counters(0x0123456789abcdef, 0x1111111111111111), 0x123456789abcdeffU);
  EXPECT_EQ(add_counters(~std::uint64_t{0}, ~std::uint64_t{0}), ~std::uint64_t{0});
  EXPECT_EQ(add_counters(0x8000000000000000, 0x7), 0x8000000000000007U);
}

TEST(Counters, AddWhateverStandsBesideThem) {
  for (std::uint64_t a = 0; a < 256; ++a) {
    for (std::uint64_t b = 0; b < 256; ++b) {
      const std::uint64_t low = std::min<std::uint64_t>(15, a % 16 + b % 16);
      const std::uint64_t high = std::min<std::uint64_t>(15, a / 16 + b / 16);
      ASSERT_EQ(add_counters(a, b), high << 4 | low) << a << " " << b;
      ASSERT_EQ(add_counters(a << 28 | 0xf, b << 28 | 0xf), (high << 4 | low) << 28 | 0xf);
      ASSERT_EQ(add_counters(a << 56, b << 56), (high << 4 | low) << 56);
    }
  }
}

TEST(Counters, AreLoweredUnlessTheyStick) {
  std::vector<std::uint64_t> words{0x00000000000000f3};
  EXPECT_EQ(lower_counter(words, 0), 2U);
  EXPECT_EQ(lower_counter(words, 1), 15U);
  EXPECT_EQ(raise_counter(words, 1), 15U);
  EXPECT_EQ(words[0], 0xf2U);
}

}  // namespace
}  // namespace bloomery
