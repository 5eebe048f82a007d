// SPDX-License-Identifier: Apache-2.0
#include "bloomery/guard/jitter.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace bloomery {
namespace {

using std::chrono::milliseconds;

TEST(Jitter, StaysWithinItsFractionAndUsesAllOfIt) {
  Jitter jitter(0.1, 42);
  milliseconds least = milliseconds::max();
  milliseconds most{0};
  for (int i = 0; i < 10'000; ++i) {
    const milliseconds ttl = jitter(milliseconds(60'000));
    least = std::min(least, ttl);
    most = std::max(most, ttl);
  }
  EXPECT_GE(least, milliseconds(54'000));
  EXPECT_LT(least, milliseconds(54'100));
  EXPECT_LE(most, milliseconds(66'000));
  EXPECT_GT(most, milliseconds(65'900));
}

TEST(Jitter, RepeatsItselfForASeedOnly) {
  Jitter a(0.5, 7);
  Jitter b(0.5, 7);
  Jitter c(0.5, 8);
  int equal_to_c = 0;
  for (int i = 0; i < 100; ++i) {
    const milliseconds ttl = a(milliseconds(1'000'000));
    EXPECT_EQ(ttl, b(milliseconds(1'000'000)));
    equal_to_c += ttl == c(milliseconds(1'000'000)) ? 1 : 0;
  }
  EXPECT_LT(equal_to_c, 3);
}

TEST(Jitter, OfNothingIsExact) {
  Jitter jitter(0, 1);
  EXPECT_EQ(jitter(milliseconds(1234)), milliseconds(1234));
}

TEST(Jitter, NeverDrawsAnExpiryOfNothing) {
  Jitter jitter(0.9, 1);
  for (int i = 0; i < 100; ++i) EXPECT_GE(jitter(milliseconds(1)), milliseconds(1));
}

}  // namespace
}  // namespace bloomery
