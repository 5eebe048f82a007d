// SPDX-License-Identifier: Apache-2.0
#include "bloomery/hash/integer_hash.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>

namespace bloomery {
namespace {

// Stored bits depend on these: a change to the hash has to be a decision, and a new HashId.
TEST(IntegerHash, IsFixedForEver) {
  const std::uint64_t spread = IntegerHash::spread_seed(0);
  EXPECT_EQ(spread, 0x9e3779b97f4a7c15U);
  EXPECT_EQ(IntegerHash::hash(0, spread), (HashPair{0xe220a8397b1dcdaf, 0x50e38dca5e4a5204}));
  EXPECT_EQ(IntegerHash::hash(1, spread), (HashPair{0xe4d971771b652c20, 0x12acf2065b709d69}));
  EXPECT_EQ(IntegerHash::hash(~std::uint64_t{0}, IntegerHash::spread_seed(7)),
            (HashPair{0xf99478f81db91d39, 0x8937364a20227e0e}));
}

// Flipping one bit of the key flips each bit of the pair half of the time. 20,000 trials a pair of
// bits: five standard deviations are 0.025.
TEST(IntegerHash, OneBitOfTheKeyMovesHalfOfThePair) {
  constexpr int kTrials = 20'000;
  const std::uint64_t spread = IntegerHash::spread_seed(1);
  for (int bit = 0; bit < 64; ++bit) {
    std::array<int, 128> flips{};
    for (std::uint64_t key = 0; key < kTrials; ++key) {
      const HashPair a = IntegerHash::hash(key, spread);
      const HashPair b = IntegerHash::hash(key ^ (std::uint64_t{1} << bit), spread);
      for (std::size_t out = 0; out < 64; ++out) {
        flips[out] += static_cast<int>(((a.h1 ^ b.h1) >> out) & 1);
        flips[64 + out] += static_cast<int>(((a.h2 ^ b.h2) >> out) & 1);
      }
    }
    for (std::size_t out = 0; out < 128; ++out) {
      EXPECT_NEAR(flips[out], kTrials / 2, kTrials * 0.025) << "key bit " << bit << ", " << out;
    }
  }
}

}  // namespace
}  // namespace bloomery
