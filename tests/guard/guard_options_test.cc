// SPDX-License-Identifier: Apache-2.0
#include "bloomery/guard/guard_options.h"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>

namespace bloomery {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

TEST(GuardOptions, DefaultsAreValid) {
  EXPECT_NO_THROW(validated({}));
}

TEST(GuardOptions, WhatIsOutOfRangeIsRefused) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const GuardOptions& options : {
           GuardOptions{.value_ttl = milliseconds(0)},
           GuardOptions{.value_ttl = milliseconds::max()},
           GuardOptions{.negative_ttl = milliseconds(-1)},
           GuardOptions{.negative_ttl = hours(24 * 3651)},
           GuardOptions{.ttl_jitter = -0.1},
           GuardOptions{.ttl_jitter = 1},
           GuardOptions{.ttl_jitter = nan},
           GuardOptions{.queries_at_once = 0},
           GuardOptions{.query_wait = milliseconds(-1)},
           GuardOptions{.query_wait = hours(2)},
           GuardOptions{.failures_in_a_row = 0},
           GuardOptions{.failure_pause = hours(2)},
       }) {
    EXPECT_THROW(validated(options), std::invalid_argument);
  }
}

TEST(GuardOptions, TheMessageNamesFieldValueAndRange) {
  try {
    validated({.negative_ttl = milliseconds(0)});
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "guard: negative_ttl is 0 ms; allowed: 1 to 315360000000 ms");
  }
}

}  // namespace
}  // namespace bloomery
