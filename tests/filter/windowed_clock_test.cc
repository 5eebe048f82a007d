// SPDX-License-Identifier: Apache-2.0
// What a windowed filter keeps whatever its clock does.
#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <thread>
#include <vector>

#include "bloomery/filter/windowed_filter.h"
#include "tests/filter/fake_clock.h"

namespace bloomery {
namespace {

using testing::FakeClock;
using testing::kNoon;

TEST(WindowedFilter, ForgetsAllAfterALongPause) {
  FakeClock clock;
  WindowedFilter filter({.capacity = 1'000, .window = clock.window(1'000)});
  for (int pause = 0; pause < 10; ++pause) {
    for (std::uint64_t key = 0; key < 1'000; ++key) {
      filter.insert(key);
      clock.now_ms += 1;
    }
    clock.now_ms += 1'250 + static_cast<std::uint64_t>(pause) * 777'777;
    EXPECT_EQ(filter.fill_ratio(), 0);
    EXPECT_EQ(filter.cardinality(), 0);
    for (std::uint64_t key = 0; key < 1'000; ++key) ASSERT_FALSE(filter.may_contain(key));
  }
}

TEST(WindowedFilter, ALittleStepBackOfTheClockChangesNothing) {
  FakeClock clock;
  WindowedFilter filter(
      {.capacity = 100, .false_positive_rate = 1e-6, .window = clock.window(1'000)});
  filter.insert("first");
  clock.now_ms -= 200;
  EXPECT_TRUE(filter.may_contain("first"));
  filter.insert("second");
  clock.now_ms += 1'200;
  EXPECT_TRUE(filter.may_contain("first"));
  EXPECT_TRUE(filter.may_contain("second"));
  clock.now_ms += 500;
  EXPECT_FALSE(filter.may_contain("first"));
  EXPECT_FALSE(filter.may_contain("second"));
}

// A day back, as when somebody sets a wrong clock right: no key is lost, none stays for the day,
// and no generation takes the keys of the whole day.
TEST(WindowedFilter, ALargeStepBackOfTheClockGoesOnFromThere) {
  constexpr std::uint64_t kDay = 86'400'000;
  FakeClock clock;
  WindowedFilter filter(
      {.capacity = 100, .false_positive_rate = 1e-6, .window = clock.window(1'000)});
  filter.insert("before");
  clock.now_ms -= kDay;
  EXPECT_TRUE(filter.may_contain("before"));
  filter.insert("after");
  clock.now_ms += 700;
  EXPECT_TRUE(filter.may_contain("before"));
  clock.now_ms += 300;
  EXPECT_TRUE(filter.may_contain("after"));
  clock.now_ms += 500;
  EXPECT_FALSE(filter.may_contain("before"));
  EXPECT_FALSE(filter.may_contain("after"));
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(filter.insert("again"));
    clock.now_ms += 1'000;
    EXPECT_TRUE(filter.may_contain("again"));
    clock.now_ms += 250;
  }
}

// The clock is one that somebody sets wrong and right again, or that two machines do not share.
TEST(WindowedFilter, AClockThatIsWrongForAMomentLosesNoKey) {
  constexpr std::uint64_t kMinute = 60'000;
  for (const std::uint32_t generations : {1U, 3U, 4U, 7U}) {
    for (const std::uint64_t back : {1ULL, 10ULL, 16ULL, 31ULL, 50ULL, 61ULL, 240ULL, 100'000ULL}) {
      for (std::uint64_t phase = 0; phase < 60; phase += 7) {
        for (const bool together : {false, true}) {
          SCOPED_TRACE(std::to_string(generations) + " generations, back " + std::to_string(back) +
                       " minutes, phase " + std::to_string(phase));
          FakeClock clock;
          clock.now_ms += phase * kMinute;
          WindowedFilter filter({.capacity = 100,
                                 .false_positive_rate = 1e-6,
                                 .window = clock.window(60 * kMinute, generations)});
          const auto insert = [&](Key key) {
            return together ? filter.insert_concurrently(key) : filter.insert(key);
          };
          insert("first");
          clock.now_ms -= back * kMinute;
          insert("while it was wrong");
          clock.now_ms += 1;
          insert("and once more");
          clock.now_ms += back * kMinute;
          EXPECT_TRUE(filter.may_contain("first"));  // before any insert tells
          insert("when it was right again");
          clock.now_ms += 26 * kMinute;
          EXPECT_TRUE(filter.may_contain("first"));
          EXPECT_TRUE(filter.may_contain("while it was wrong"));
          clock.now_ms += 33 * kMinute;
          EXPECT_TRUE(filter.may_contain("first"));
          EXPECT_TRUE(filter.may_contain("and once more"));
          EXPECT_TRUE(filter.may_contain("when it was right again"));
          // The key does not stay for ever either.
          clock.now_ms += 3 * 61 * kMinute;
          insert("later");
          EXPECT_FALSE(filter.may_contain("first"));
        }
      }
    }
  }
}

// Twice back and right in one step: what it went back by adds up.
TEST(WindowedFilter, AClockThatIsWrongTwiceLosesNoKey) {
  FakeClock clock;
  WindowedFilter filter(
      {.capacity = 100, .false_positive_rate = 1e-6, .window = clock.window(1'000)});
  filter.insert("first");
  clock.now_ms -= 5'000;
  filter.insert("wrong");
  clock.now_ms -= 70'000;
  filter.insert("more wrong");
  clock.now_ms += 75'000;
  EXPECT_TRUE(filter.may_contain("first"));
  filter.insert("right");
  clock.now_ms += 990;
  for (const char* key : {"first", "wrong", "more wrong", "right"}) {
    EXPECT_TRUE(filter.may_contain(key)) << key;
  }
  clock.now_ms += 300;
  EXPECT_FALSE(filter.may_contain("right"));
}

// The clock goes back repeatedly, each time to just before the end of a generation by the clock
// that is now.
TEST(WindowedFilter, AClockThatGoesBackAgainAndAgainLosesNoKey) {
  constexpr std::uint64_t kLength = 840'000;
  for (const std::uint32_t generations : {1U, 2U, 4U, 7U}) {
    const std::uint64_t generation = kLength / generations;
    for (std::uint64_t back = 1; back <= 9; ++back) {
      SCOPED_TRACE(std::to_string(generations) + " generations, back " + std::to_string(back));
      FakeClock clock;
      WindowedFilter filter({.capacity = 1'000,
                             .false_positive_rate = 1e-9,
                             .window = clock.window(kLength, generations)});
      filter.insert("first");
      for (int i = 0; i < 20; ++i) {
        clock.now_ms -= back * generation - (generation - 1'000 - clock.now_ms % generation);
        filter.insert(2 * i);
        clock.now_ms += 2'000;
        filter.insert(2 * i + 1);
        ASSERT_TRUE(filter.may_contain("first")) << i;
        ASSERT_TRUE(filter.may_contain(0)) << i;
      }
      clock.now_ms += kLength - 40'000;
      EXPECT_TRUE(filter.may_contain("first"));
    }
  }
}

TEST(WindowedFilter, AnyStepsBackOfTheClockLoseNoKey) {
  constexpr std::uint64_t kLength = 840'000;
  std::mt19937_64 random(20);
  for (int history = 0; history < 400; ++history) {
    const auto generations = static_cast<std::uint32_t>(1 + random() % kMostGenerations);
    FakeClock clock;
    clock.now_ms += random() % kLength;
    WindowedFilter filter({.capacity = 1'000,
                           .false_positive_rate = 1e-9,
                           .window = clock.window(kLength, generations)});
    std::uint64_t real = 0;
    std::vector<std::uint64_t> times;
    for (std::uint64_t key = 0; key < 60; ++key) {
      if (random() % 4 == 0) clock.now_ms -= random() % (kLength << random() % 4);
      const std::uint64_t pause = random() % (kLength / 10);
      clock.now_ms += pause;
      real += pause;
      filter.insert(key);
      times.push_back(real);
      for (std::uint64_t each = 0; each <= key; ++each) {
        if (real - times[each] > kLength) continue;
        ASSERT_TRUE(filter.may_contain(each))
            << history << ": " << generations << " generations, key " << each << " after "
            << real - times[each] << " ms";
      }
    }
  }
}

// The clock goes on to the next generation between one reading and the next.
TEST(WindowedFilter, MergingTakesNoTimeFromTheKeysOfTheOther) {
  std::uint64_t now_ms = kNoon - 1;
  bool ticks = false;
  const Window window{
      .length_ms = 1'000, .generations = 4, .clock = [&] { return ticks ? now_ms++ : now_ms; }};
  const FilterOptions options{.capacity = 100, .false_positive_rate = 1e-9, .window = window};
  WindowedFilter from(options);
  WindowedFilter to(options);
  from.insert("key");
  ticks = true;
  to.merge(from);
  ticks = false;
  now_ms = kNoon + 999;
  EXPECT_TRUE(from.may_contain("key"));
  EXPECT_TRUE(to.may_contain("key"));
}

// Sets the clock beside threads that insert and ask: a clock and an offset that do not belong
// together are a leap.
TEST(WindowedFilter, ThreadsLoseNoKeyWhileTheClockIsSet) {
  FakeClock clock;
  WindowedFilter filter(
      {.capacity = 100'000, .false_positive_rate = 1e-6, .window = clock.window(3'600'000)});
  constexpr std::uint64_t kBack = 3'000'000;
  std::atomic<std::uint64_t> lost{0};
  {
    std::vector<std::jthread> threads;
    for (std::uint64_t t = 0; t < 3; ++t) {
      threads.emplace_back([&, t] {
        for (std::uint64_t i = 0; i < 10'000; ++i) {
          if (t == 0) clock.now_ms = i % 2 == 0 ? kNoon - kBack : kNoon;
          filter.insert_concurrently((t << 32) + i);
          lost += filter.may_contain((t << 32) + i / 2) ? 0 : 1;
        }
      });
    }
  }
  EXPECT_EQ(lost, 0U);
}

}  // namespace
}  // namespace bloomery
