// SPDX-License-Identifier: Apache-2.0
// Absent is only said behind a fence, and what that costs.

#include "bloomery/place/fenced_place.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "bloomery/errors.h"
#include "tests/place/played_place.h"
#include "tests/support/run_threads.h"

namespace bloomery {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(FencedPlace, DeniesOnlyBehindHowFarTheDatabaseIs) {
  Setting setting;
  EXPECT_EQ(setting.fenced.presence_of("out"), Presence::absent);
  setting.end = 11;
  EXPECT_EQ(setting.fenced.presence_of("out"), Presence::unknown);
  EXPECT_EQ(setting.fenced.counters().fenced, 1U);
  EXPECT_EQ(setting.fenced.counters().fence_behind, 1U);
}

TEST(FencedPlace, WhatMayBeThereCostsNoQuestion) {
  Setting setting;
  EXPECT_EQ(setting.fenced.presence_of("in"), Presence::maybe);
  EXPECT_EQ(setting.ask({"in", "in"}), std::vector(2, Presence::maybe));
  EXPECT_EQ(setting.asked, 0);
  EXPECT_EQ(setting.place.questions, 2);
}

TEST(FencedPlace, ABatchIsOneQuestion) {
  Setting setting;
  EXPECT_EQ(setting.ask({"a", "in", "b", "c"}),
            (std::vector{Presence::absent, Presence::maybe, Presence::absent, Presence::absent}));
  EXPECT_EQ(setting.asked, 1);
  EXPECT_EQ(setting.place.questions, 2);
  EXPECT_EQ(setting.fenced.waits().count(), 1U);
}

TEST(FencedPlace, WaitsForTheWatermark) {
  Setting setting({.longest_wait = seconds(60)});
  setting.end = 11;
  std::thread follower([&] {
    while (setting.place.fenced_questions == 0) std::this_thread::yield();
    std::this_thread::sleep_for(milliseconds(3));
    setting.place.set(Watermark{kHere, 11});
  });
  EXPECT_EQ(setting.ask({"a", "in", "b"}),
            (std::vector{Presence::absent, Presence::maybe, Presence::absent}));
  follower.join();
}

TEST(FencedPlace, AKeyThatComesWhileOneWaitsIsNotDenied) {
  Setting setting({.longest_wait = seconds(60)});
  setting.end = 11;
  std::thread follower([&] {
    while (setting.place.fenced_questions == 0) std::this_thread::yield();
    setting.place.insert("late");
    setting.place.set(Watermark{kHere, 11});
  });
  EXPECT_EQ(setting.ask({"a", "late"}), (std::vector{Presence::absent, Presence::maybe}));
  follower.join();
}

TEST(FencedPlace, WhereTheWatermarkStandsStillNobodyAsksTheDatabaseUntilItMoves) {
  Setting setting({.longest_wait = milliseconds(1)});
  setting.end = 20;
  const auto began = std::chrono::steady_clock::now();
  while (setting.fenced.counters().fence_skips == 0) {
    EXPECT_EQ(setting.fenced.presence_of("out"), Presence::unknown);
  }
  EXPECT_GE(std::chrono::steady_clock::now() - began, milliseconds(400)) << "who comes first waits";
  const int asked = setting.asked;
  for (int i = 0; i < 100; ++i) EXPECT_EQ(setting.fenced.presence_of("out"), Presence::unknown);
  EXPECT_LE(setting.asked, asked + 10) << "one in a while tries";
  EXPECT_GE(setting.fenced.counters().fence_skips, 90U);
  EXPECT_EQ(setting.fenced.presence_of("in"), Presence::maybe);
  setting.place.set(Watermark{kHere, 20});
  EXPECT_EQ(setting.fenced.presence_of("out"), Presence::absent) << "at once";
  setting.end = 21;
  setting.place.set(Watermark{kHere, 21});
  EXPECT_EQ(setting.ask({"out"}), std::vector{Presence::absent});
}

TEST(FencedPlace, AnotherSourceIsBelievedOnceTheFenceNamesIt) {
  Setting setting;
  setting.place.set(Watermark{kElsewhere, 99});
  EXPECT_EQ(setting.fenced.presence_of("out"), Presence::unknown);
  setting.place.set(std::nullopt);
  EXPECT_EQ(setting.fenced.presence_of("out"), Presence::unknown);
  EXPECT_GE(setting.fenced.counters().fence_foreign, 1U);
  setting.place.set(Watermark{kHere, 10});
  EXPECT_EQ(setting.fenced.presence_of("out"), Presence::absent);
}

// A rebuild leaves the place without a watermark until its follower has set one.
TEST(FencedPlace, WaitsForAWatermarkWhereThereIsNone) {
  Setting setting({.longest_wait = seconds(60)});
  setting.place.set(std::nullopt);
  std::thread follower([&] {
    while (setting.place.fenced_questions == 0) std::this_thread::yield();
    setting.place.set(Watermark{kHere, 10});
  });
  EXPECT_EQ(setting.fenced.presence_of("out"), Presence::absent);
  follower.join();
}

TEST(FencedPlace, AFilterThatIsNotWholeDeniesNothing) {
  Setting setting;
  setting.place.set(Watermark{kHere, 10}, NoAbsent::not_ready);
  EXPECT_EQ(setting.ask({"out", "in"}), (std::vector{Presence::unknown, Presence::maybe}));
  EXPECT_EQ(setting.fenced.counters().fence_unready, 1U);
}

TEST(FencedPlace, WhereTheDatabaseIsAwayNothingIsDenied) {
  Setting setting;
  setting.fails = true;
  std::vector<Key> keys{"out", "in", "away"};
  std::vector<Presence> answers(3, Presence::unknown);
  EXPECT_THROW(setting.fenced.presence_of_many(keys, answers), StoreError);
  EXPECT_EQ(answers, (std::vector{Presence::unknown, Presence::maybe, Presence::unknown}));
  EXPECT_THROW(setting.fenced.presence_of("out"), StoreError);
  EXPECT_EQ(setting.fenced.counters().fence_failures, 3U);
  setting.fails = false;
  EXPECT_EQ(setting.fenced.presence_of("out"), Presence::absent);
}

TEST(FencedPlace, ManyThreadsShareTheQuestionAndTheTrip) {
  Setting setting({.longest_wait = seconds(60)});
  run_threads(8, [&](int) {
    for (int i = 0; i < 200; ++i) {
      ASSERT_EQ(setting.fenced.presence_of(std::to_string(i)), Presence::absent);
    }
  });
  EXPECT_EQ(setting.fenced.counters().fenced, 1'600U);
  EXPECT_LE(setting.asked, 1'600);
}

TEST(FencedPlace, WhoBringsAFenceIsAskedBehindThat) {
  Setting setting;
  const Fence low{{kHere, 5}};
  const Fence high{{kHere, 15}};
  EXPECT_EQ(setting.fenced.presence_of("out", {.fence = &low}), Presence::absent);
  EXPECT_EQ(setting.fenced.presence_of("out", {.fence = &high}), Presence::unknown);
  EXPECT_EQ(setting.asked, 0);
}

TEST(FencedPlace, NobodyWaitsLongerThanHeSaid) {
  Setting setting({.longest_wait = seconds(60)});
  setting.end = 11;
  EXPECT_EQ(setting.ask({"out"}, CallContext::within(milliseconds(5))),
            std::vector{Presence::unknown});
  EXPECT_EQ(setting.fenced.counters().fence_skips, 0U);
  setting.place.set(Watermark{kHere, 11});
  EXPECT_EQ(setting.fenced.presence_of("out"), Presence::absent)
      << "who had no time says nothing about the place";
}

TEST(FencedPlace, RefusesToDoWithoutAFence) {
  PlayedPlace place;
  EXPECT_THROW(FencedPlace(place, AskFence()), std::invalid_argument);
  EXPECT_THROW(
      FencedPlace(place, [](const CallContext&) { return Fence{}; }, {.budget = milliseconds(-1)}),
      std::invalid_argument);
}

// Two seconds, by a clock that a test sets.
struct Budget {
  CallContext::Clock::time_point now{seconds(1'000)};
  Setting setting{{.budget = seconds(2), .now = [this] { return now; }}};

  Presence ask_at(milliseconds time) {
    now = CallContext::Clock::time_point(seconds(1'000) + time);
    return setting.fenced.presence_of("out");
  }
};

TEST(FencedPlaceBudget, AFenceServesForTheBudget) {
  Budget budget;
  for (int i = 0; i < 100; ++i) EXPECT_EQ(budget.ask_at(milliseconds(i)), Presence::absent);
  EXPECT_EQ(budget.setting.asked, 1);
  EXPECT_EQ(budget.setting.place.questions, 100) << "each asked once";
  EXPECT_EQ(budget.setting.ask({"out", "in"}), (std::vector{Presence::absent, Presence::maybe}));
}

TEST(FencedPlaceBudget, TheFilterMayBeBehindWithinTheBudget) {
  Budget budget;
  EXPECT_EQ(budget.ask_at(milliseconds(0)), Presence::absent);
  budget.setting.end = 11;  // a row that the filter does not have yet
  for (int i = 0; i <= 2'000; i += 100) {
    EXPECT_EQ(budget.ask_at(milliseconds(i)), Presence::absent) << i;
  }
  EXPECT_EQ(budget.ask_at(milliseconds(2'600)), Presence::unknown);
  budget.setting.place.set(Watermark{kHere, 11});
  EXPECT_EQ(budget.ask_at(milliseconds(2'700)), Presence::absent);
}

TEST(FencedPlaceBudget, AFenceThatCannotBeAskedServesNoLonger) {
  Budget budget;
  EXPECT_EQ(budget.ask_at(milliseconds(0)), Presence::absent);
  budget.setting.fails = true;
  EXPECT_EQ(budget.ask_at(milliseconds(2'000)), Presence::absent);
  EXPECT_THROW(budget.ask_at(milliseconds(2'001)), StoreError);
  budget.setting.fails = false;
  EXPECT_EQ(budget.ask_at(milliseconds(2'002)), Presence::absent);
}

TEST(FencedPlaceBudget, AWatermarkThatGoesBackIsNotBelieved) {
  Budget budget;
  EXPECT_EQ(budget.ask_at(milliseconds(0)), Presence::absent);
  budget.setting.place.set(Watermark{kHere, 9});
  EXPECT_EQ(budget.ask_at(milliseconds(10)), Presence::unknown);
}

// A row committed longer ago than the budget is never denied, however the threads meet.
TEST(FencedPlaceBudget, NeverDeniesWhatIsOlder) {
  Setting setting({.budget = milliseconds(20)});
  std::atomic<bool> is_over = false;
  std::thread follower([&] {
    while (!is_over) {
      const std::uint64_t end = setting.end;
      for (std::uint64_t i = 10; i < end; ++i) setting.place.insert(std::to_string(i));
      setting.place.set(Watermark{kHere, end});
      std::this_thread::sleep_for(milliseconds(3));
    }
  });
  int denied = 0;
  int absent = 0;
  for (int i = 0; i < 5; ++i) {
    const std::string key = std::to_string(setting.end.fetch_add(1));
    std::this_thread::sleep_for(milliseconds(21));
    denied += setting.fenced.presence_of(key) == Presence::absent ? 1 : 0;
    absent += setting.fenced.presence_of("never") == Presence::absent ? 1 : 0;
  }
  is_over = true;
  follower.join();
  EXPECT_EQ(denied, 0);
  EXPECT_GT(absent, 0);
}

TEST(WaitTimes, SaysWhatMostTook) {
  WaitTimes times;
  EXPECT_EQ(times.quantile(0.5).count(), 0);
  for (int i = 1; i <= 1'000; ++i) times.add(std::chrono::microseconds(i));
  EXPECT_EQ(times.count(), 1'000U);
  EXPECT_NEAR(static_cast<double>(times.quantile(0.5).count()), 500, 64);
  EXPECT_NEAR(static_cast<double>(times.quantile(0.99).count()), 990, 128);
  EXPECT_GE(times.quantile(1).count(), 1'000);
}

}  // namespace
}  // namespace bloomery
