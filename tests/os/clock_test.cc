// SPDX-License-Identifier: Apache-2.0
#include "bloomery/os/clock.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace bloomery::os {
namespace {

std::int64_t nanoseconds_since_1970() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

TEST(Clock, TellsTheTimeOfTheDay) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const std::int64_t before = nanoseconds_since_1970();
  const std::int64_t now = wall_clock();
  const std::int64_t after = nanoseconds_since_1970();
  EXPECT_GE(now, before - kSecond);
  EXPECT_LE(now, after + kSecond);
}

TEST(Clock, GoesForward) {
  const std::int64_t first = running_clock();
  EXPECT_GT(first, 0);
  while (running_clock() == first) std::this_thread::yield();
  EXPECT_GT(running_clock(), first);
}

}  // namespace
}  // namespace bloomery::os
