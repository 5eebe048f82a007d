// SPDX-License-Identifier: Apache-2.0
#include "bloomery/bits/bit_ops.h"

#include <gtest/gtest.h>

#include <array>
#include <thread>
#include <vector>

namespace bloomery {
namespace {

TEST(BitOps, SetsAndTestsFromTheLeastSignificantBit) {
  std::array<std::uint64_t, 2> words{};
  EXPECT_TRUE(set_bit(words, 65));
  EXPECT_FALSE(set_bit(words, 65));
  EXPECT_EQ(words[1], 2U);
  EXPECT_TRUE(test_bit(words, 65));
  EXPECT_FALSE(test_bit(words, 1));
}

TEST(BitOps, AtomicSetsFromManyThreadsLoseNone) {
  std::uint64_t word = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 8; ++t) {
      threads.emplace_back([&word, t] {
        for (int i = t; i < 64; i += 8)
          set_mask_atomically(word, bit_mask(static_cast<unsigned>(i)));
      });
    }
  }
  EXPECT_EQ(word, ~std::uint64_t{0});
  EXPECT_FALSE(set_mask_atomically(word, 3));
}

}  // namespace
}  // namespace bloomery
