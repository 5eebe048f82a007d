// SPDX-License-Identifier: Apache-2.0
#include "bloomery/guard/breaker.h"

#include <gtest/gtest.h>

#include <atomic>

#include "tests/guard/fake_clock.h"
#include "tests/support/run_threads.h"

namespace bloomery {
namespace {

using std::chrono::seconds;

TEST(Breaker, ClosesAfterSoManyFailuresInARow) {
  FakeClock clock;
  Breaker breaker(3, seconds(1), clock.function());
  breaker.failed();
  breaker.failed();
  breaker.succeeded();
  breaker.failed();
  breaker.failed();
  EXPECT_TRUE(breaker.allows());
  breaker.failed();
  EXPECT_FALSE(breaker.allows());
}

TEST(Breaker, IsCalmOnlyWhileNothingFailed) {
  FakeClock clock;
  Breaker breaker(2, seconds(1), clock.function());
  EXPECT_TRUE(breaker.is_calm());
  breaker.failed();
  EXPECT_FALSE(breaker.is_calm()) << "a success must be told";
  breaker.succeeded();
  EXPECT_TRUE(breaker.is_calm());
  breaker.failed();
  breaker.failed();
  clock.advance(seconds(1));
  EXPECT_FALSE(breaker.is_calm()) << "one may try, not all";
  EXPECT_TRUE(breaker.allows());
  breaker.succeeded();
  EXPECT_TRUE(breaker.is_calm());
}

TEST(Breaker, LetsOneTryAfterThePause) {
  FakeClock clock;
  Breaker breaker(1, seconds(1), clock.function());
  breaker.failed();
  for (int round = 0; round < 3; ++round) {
    clock.advance(seconds(1));
    std::atomic<int> tries = 0;
    run_threads(4, [&](int) { tries += breaker.allows() ? 1 : 0; });
    EXPECT_EQ(tries, 1);
    breaker.failed();
    EXPECT_FALSE(breaker.allows());
  }
  clock.advance(seconds(1));
  EXPECT_TRUE(breaker.allows());
  breaker.succeeded();
  EXPECT_TRUE(breaker.allows());
  EXPECT_TRUE(breaker.allows());
}

}  // namespace
}  // namespace bloomery
