// SPDX-License-Identifier: Apache-2.0
#include "bloomery/filter/steady_wall.h"

#include <gtest/gtest.h>

#include <chrono>

namespace bloomery {
namespace {

std::uint64_t wall_ms = 0;
std::uint64_t passed_ms = 0;

SteadyWall wall_at(std::uint64_t wall, std::uint64_t passed) {
  wall_ms = wall;
  passed_ms = passed;
  return {[]() noexcept { return wall_ms; }, []() noexcept { return passed_ms; }};
}

TEST(SteadyWall, GoesOnByWhatPassesWhateverTheSystemsClockIsSetTo) {
  const SteadyWall wall = wall_at(1'700'000'000'000, 5'000);
  EXPECT_EQ(wall.now_ms(), 1'700'000'000'000);
  for (const std::uint64_t set_to : {0ULL, 1'600'000'000'000ULL, 1'900'000'000'000ULL}) {
    wall_ms = set_to;
    EXPECT_EQ(wall.now_ms(), 1'700'000'000'000);
  }
  passed_ms += 777;
  EXPECT_EQ(wall.now_ms(), 1'700'000'000'777);
}

TEST(SteadyWall, TakesAMachineThatRanLongerThanItsClockSays) {
  const SteadyWall wall = wall_at(3, 90'000);
  passed_ms += 4;
  EXPECT_EQ(wall.now_ms(), 7);
}

TEST(SteadyWall, OfThisProcessIsTheSystemsTime) {
  const auto system = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::system_clock::now().time_since_epoch());
  const std::uint64_t now = steady_wall_ms();
  EXPECT_NEAR(static_cast<double>(now), static_cast<double>(system.count()), 60'000);
  EXPECT_GE(steady_wall_ms(), now);
}

}  // namespace
}  // namespace bloomery
