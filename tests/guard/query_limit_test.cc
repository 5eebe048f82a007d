// SPDX-License-Identifier: Apache-2.0
#include "bloomery/guard/query_limit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <stop_token>
#include <thread>

#include "tests/support/run_threads.h"

namespace bloomery {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;

TEST(QueryLimit, ShedsWhoFindsNoPlaceInTime) {
  QueryLimit limit(2, milliseconds(1));
  const auto first = limit.enter();
  auto second = std::optional(limit.enter());
  EXPECT_THROW(static_cast<void>(limit.enter()), GuardOverloaded);
  second.reset();
  EXPECT_NO_THROW(static_cast<void>(limit.enter()));
}

TEST(QueryLimit, WaitsForEverWhereItIsToldTo) {
  QueryLimit limit(1, milliseconds::max());
  auto first = std::optional(limit.enter());
  std::jthread later([&] {
    std::this_thread::sleep_for(milliseconds(30));
    first.reset();
  });
  EXPECT_NO_THROW(static_cast<void>(limit.enter()));
  EXPECT_EQ(CallContext::within(milliseconds::max()).deadline, CallContext::kNever);
}

TEST(QueryLimit, AMovedPlaceIsGivenBackOnce) {
  QueryLimit limit(1, milliseconds(0));
  {
    auto slot = limit.enter();
    const auto moved = std::move(slot);
    EXPECT_THROW(static_cast<void>(limit.enter()), GuardOverloaded);
  }
  const auto again = limit.enter();
  EXPECT_THROW(static_cast<void>(limit.enter()), GuardOverloaded);
}

TEST(QueryLimit, AWaiterEntersWhenAnotherLeaves) {
  QueryLimit limit(1, minutes(5));
  auto held = std::optional(limit.enter());
  std::atomic<bool> entered = false;
  std::thread waiter([&] {
    const auto slot = limit.enter();
    entered = true;
  });
  EXPECT_FALSE(entered);
  held.reset();
  waiter.join();
  EXPECT_TRUE(entered);
}

TEST(QueryLimit, AWaiterLeavesWhenItsContextIsOver) {
  QueryLimit limit(1, minutes(5));
  const auto held = limit.enter();
  EXPECT_THROW(static_cast<void>(limit.enter(CallContext::within(milliseconds(1)))), CallAborted);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(static_cast<void>(limit.enter({.stop = stop.get_token()})), CallAborted);
  EXPECT_FALSE(limit.try_enter());
}

TEST(QueryLimit, NeverLetsInMoreThanItsNumber) {
  QueryLimit limit(3, minutes(5));
  std::atomic<int> inside = 0;
  std::atomic<int> most = 0;
  run_threads(8, [&](int) {
    for (int i = 0; i < 200; ++i) {
      const auto slot = limit.enter();
      const int now = ++inside;
      for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
      }
      std::this_thread::yield();
      --inside;
    }
  });
  EXPECT_EQ(inside, 0);
  EXPECT_GE(most, 1);
  EXPECT_LE(most, 3);
}

}  // namespace
}  // namespace bloomery
