// SPDX-License-Identifier: Apache-2.0
#include "bloomery/hash/fold_hash.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "bloomery/hash/integer_hash.h"

namespace bloomery {
namespace {

// Stored bits depend on these: a change to the hash has to be a decision, and a new HashId. The
// values were computed with integers of any size, apart from this code.
TEST(FoldHash, IsFixedForEver) {
  const std::uint64_t spread = IntegerHash::spread_seed(0);
  EXPECT_EQ(FoldHash::hash(0, spread), (HashPair{0x31fa701f68af6983, 0x9ff7045a004788f6}));
  EXPECT_EQ(FoldHash::hash(1, spread), (HashPair{0x517d84ac092b41a4, 0x1b81d6e070a8cb4d}));
  EXPECT_EQ(FoldHash::hash(~std::uint64_t{0}, IntegerHash::spread_seed(7)),
            (HashPair{0x8fc8c24b2d211c26, 0x5d9240f4924ba9c5}));
}

// Compilers use other code for constants than for values.
TEST(FoldHash, IsTheSameWhileCompiling) {
  constexpr HashPair kPair = FoldHash::hash(12345, 678);
  volatile std::uint64_t key = 12345;
  EXPECT_EQ(FoldHash::hash(key, 678), kPair);
}

// Flipping one bit of a random key or of the seed flips each bit that a blocked filter reads (the
// upper ones of h1, bits 0 to 50 of h2) half of the time. 20,000 trials a pair of bits: five
// standard deviations are 0.018, and bit 50 is off by 0.021.
TEST(FoldHash, OneBitMovesHalfOfWhatABlockedFilterReads) {
  constexpr int kTrials = 20'000;
  for (const bool of_seed : {false, true}) {
    for (int bit = 0; bit < 64; ++bit) {
      std::array<int, 24 + 51> flips{};
      for (std::uint64_t i = 0; i < kTrials; ++i) {
        const std::uint64_t flip = std::uint64_t{1} << bit;
        const std::uint64_t key = IntegerHash::hash(i, 0).h1;
        const std::uint64_t seed = 1;
        const HashPair a = FoldHash::hash(key, IntegerHash::spread_seed(seed));
        const HashPair b = of_seed ? FoldHash::hash(key, IntegerHash::spread_seed(seed ^ flip))
                                   : FoldHash::hash(key ^ flip, IntegerHash::spread_seed(seed));
        for (std::size_t out = 0; out < 24; ++out) {
          flips[out] += static_cast<int>(((a.h1 ^ b.h1) >> (40 + out)) & 1);
        }
        for (std::size_t out = 0; out < 51; ++out) {
          flips[24 + out] += static_cast<int>(((a.h2 ^ b.h2) >> out) & 1);
        }
      }
      for (std::size_t out = 0; out < flips.size(); ++out) {
        EXPECT_NEAR(flips[out], kTrials / 2, kTrials * 0.025)
            << (of_seed ? "seed" : "key") << " bit " << bit << ", " << out;
      }
    }
  }
}

}  // namespace
}  // namespace bloomery
