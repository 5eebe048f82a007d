// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/short_count.h"

#include <gtest/gtest.h>

namespace bloomery::bench {
namespace {

TEST(ShortCount, NamesRoundNumbers) {
  EXPECT_EQ(short_count(2'000), "2 thousand");
  EXPECT_EQ(short_count(100'000'000), "100 million");
  EXPECT_EQ(short_count(1'000'000'000), "1 billion");
}

TEST(ShortCount, LeavesOthersAsTheyAre) {
  EXPECT_EQ(short_count(0), "0");
  EXPECT_EQ(short_count(1'234), "1234");
}

}  // namespace
}  // namespace bloomery::bench
