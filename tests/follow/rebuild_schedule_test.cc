// SPDX-License-Identifier: Apache-2.0
#include "bloomery/follow/rebuild_schedule.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace bloomery {
namespace {

using namespace std::chrono_literals;
using Clock = RebuildSchedule::Clock;

constexpr auto kLongest = 10s;
const Clock::time_point kNow = Clock::time_point{} + 1h;

RebuildSchedule schedule() {
  return {0.9, 0.5, kLongest};
}

FollowerStatus with_keys(std::uint64_t keys, std::uint64_t capacity, std::uint64_t deleted = 0) {
  FollowerStatus status;
  status.key_count = keys;
  status.capacity = capacity;
  status.deleted = deleted;
  return status;
}

TEST(RebuildSchedule, TakesSharesOnly) {
  for (const double wrong : {0.0, -0.1, 1.1}) {
    EXPECT_THROW(RebuildSchedule(wrong, 0.5, kLongest), std::invalid_argument) << wrong;
    EXPECT_THROW(RebuildSchedule(0.9, wrong, kLongest), std::invalid_argument) << wrong;
  }
}

TEST(RebuildSchedule, IsDueWhereTheFilterIsTooFull) {
  const RebuildSchedule of = schedule();
  EXPECT_FALSE(of.is_due(with_keys(9'000, 10'000), kNow));
  EXPECT_TRUE(of.is_due(with_keys(9'001, 10'000), kNow));
  EXPECT_FALSE(of.is_due(with_keys(9'001, 0), kNow)) << "it has no capacity";
  FollowerStatus status = with_keys(9'001, 10'000);
  status.cannot_grow = true;
  EXPECT_FALSE(of.is_due(status, kNow));
}

TEST(RebuildSchedule, IsDueWhereManyRowsAreGone) {
  const RebuildSchedule of = schedule();
  EXPECT_FALSE(of.is_due(with_keys(4'000, 0, 2'000), kNow));
  EXPECT_TRUE(of.is_due(with_keys(4'000, 0, 2'001), kNow));
  EXPECT_FALSE(of.is_due(with_keys(100, 0, 1'000), kNow)) << "few rows";
}

TEST(RebuildSchedule, IsDueOnceWhenSomebodyAsks) {
  RebuildSchedule of = schedule();
  EXPECT_FALSE(of.is_due({}, kNow));
  of.ask();
  EXPECT_TRUE(of.is_due({}, kNow));
  of.run([&] { EXPECT_FALSE(of.is_due({}, kNow)); });
  EXPECT_FALSE(of.is_due({}, kNow));
  of.ask();
  of.withdraw();
  EXPECT_FALSE(of.is_due({}, kNow));
}

TEST(RebuildSchedule, KeepsWhatWasAskedForWhereItFails) {
  RebuildSchedule of = schedule();
  const auto fail = [&] { of.run([] { throw std::runtime_error("the server is away"); }); };
  EXPECT_THROW(fail(), std::runtime_error);
  EXPECT_FALSE(of.is_due({}, kNow)) << "nobody had asked";
  of.ask();
  EXPECT_THROW(fail(), std::runtime_error);
  EXPECT_TRUE(of.is_due({}, kNow));
  of.run([&] { of.ask(); });
  EXPECT_TRUE(of.is_due({}, kNow)) << "somebody has asked meanwhile";
}

TEST(RebuildSchedule, WaitsAsLongAsTheOneThatFailedTook) {
  RebuildSchedule of = schedule();
  of.ask();
  of.failed(kNow, kNow + 3s);
  EXPECT_FALSE(of.is_due({}, kNow + 6s - 1ms));
  EXPECT_TRUE(of.is_due({}, kNow + 6s));
}

TEST(RebuildSchedule, WaitsTwiceAsLongEachTimeUpToALimit) {
  RebuildSchedule of = schedule();
  of.ask();
  Clock::time_point now = kNow;
  for (const auto pause : {50ms, 100ms, 200ms}) {
    of.failed(now, now);
    EXPECT_FALSE(of.is_due({}, now + pause - 1ms));
    now += pause;
    EXPECT_TRUE(of.is_due({}, now));
  }
  of.failed(now, now + 1h);
  EXPECT_TRUE(of.is_due({}, now + 1h + kLongest));
  of.succeeded();
  of.failed(now + 2h, now + 2h);
  EXPECT_TRUE(of.is_due({}, now + 2h + 50ms)) << "one has succeeded";
}

TEST(RebuildSchedule, TellsOfAFailureOnce) {
  RebuildSchedule of = schedule();
  EXPECT_FALSE(of.take_failure());
  of.failed(kNow, kNow);
  EXPECT_TRUE(of.take_failure());
  EXPECT_FALSE(of.take_failure());
}

}  // namespace
}  // namespace bloomery
