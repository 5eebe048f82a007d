// SPDX-License-Identifier: Apache-2.0
#include "bloomery/place/back_off.h"

#include <gtest/gtest.h>

namespace bloomery {
namespace {

using std::chrono::milliseconds;

TEST(BackOff, LetsEverybodyTryUntilAFailure) {
  BackOff back_off;
  EXPECT_FALSE(back_off.refusal({}));
  EXPECT_FALSE(back_off.refusal({}));
}

TEST(BackOff, WaitsTwiceAsLongEachTimeUpToABound) {
  BackOff back_off;
  BackOff::Clock::time_point now{};
  milliseconds longest = BackOff::kShortest;
  for (int failures = 1; failures <= 100; ++failures) {
    back_off.failed(now, "why");
    EXPECT_EQ(back_off.refusal(now), "why");
    EXPECT_TRUE(back_off.refusal(now + longest / 2 - milliseconds(1)));
    EXPECT_FALSE(back_off.refusal(now + longest)) << "one may try";
    EXPECT_TRUE(back_off.refusal(now + longest)) << "and nobody else";
    now += 2 * longest;
    longest = std::min(2 * longest, BackOff::kLongest);
  }
}

TEST(BackOff, ForgetsFailuresAfterASuccess) {
  BackOff back_off;
  for (int i = 0; i < 10; ++i) back_off.failed({}, "why");
  back_off.succeeded();
  EXPECT_FALSE(back_off.refusal({}));
  back_off.failed({}, "again");
  EXPECT_FALSE(back_off.refusal(BackOff::Clock::time_point{} + BackOff::kShortest));
}

}  // namespace
}  // namespace bloomery
