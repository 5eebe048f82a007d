// SPDX-License-Identifier: Apache-2.0
#include "bloomery/guard/random_draws.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "tests/support/run_threads.h"

namespace bloomery {
namespace {

TEST(RandomDraws, DrawsAllOrNone) {
  RandomDraws none(0);
  RandomDraws all(1);
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(none.next());
    EXPECT_TRUE(all.next());
  }
}

TEST(RandomDraws, DrawsOneInSoManyWhereverTheyStand) {
  constexpr int kTurns = 200'000;
  constexpr double kShare = 0.01;
  RandomDraws draws(100);
  int drawn = 0;
  int twice_in_a_row = 0;
  bool last = false;
  for (int i = 0; i < kTurns; ++i) {
    const bool now = draws.next();
    drawn += now ? 1 : 0;
    twice_in_a_row += now && last ? 1 : 0;
    last = now;
  }
  EXPECT_NEAR(drawn, kTurns * kShare, 5 * std::sqrt(kTurns * kShare));
  EXPECT_NEAR(twice_in_a_row, kTurns * kShare * kShare, 5 * std::sqrt(kTurns * kShare * kShare))
      << "each by itself, not every hundredth";
}

// A thread that asks seldom is not passed over for ever, nor drawn at once.
TEST(RandomDraws, TheFirstOfAThreadIsDrawnAsOftenAsAnyOther) {
  int drawn = 0;
  for (int i = 0; i < 2'000; ++i) {
    RandomDraws draws(10);
    drawn += draws.next() ? 1 : 0;
  }
  EXPECT_NEAR(drawn, 200, 5 * std::sqrt(200.0));
}

TEST(RandomDraws, ThreadsDrawForThemselves) {
  RandomDraws draws(50);
  std::atomic<int> drawn = 0;
  run_threads(8, [&](int) {
    for (int i = 0; i < 10'000; ++i) drawn += draws.next() ? 1 : 0;
  });
  EXPECT_NEAR(drawn, 1'600, 5 * std::sqrt(1'600.0));
}

}  // namespace
}  // namespace bloomery
