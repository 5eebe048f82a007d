// SPDX-License-Identifier: Apache-2.0
#include "bloomery/bits/thread_lane.h"

#include <gtest/gtest.h>

#include <array>
#include <latch>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

namespace bloomery {
namespace {

TEST(ThreadLane, OwnLanesAreOfOneLivingThreadEach) {
  constexpr int kThreads = 100;  // more than there are lanes
  std::mutex mutex;
  std::set<std::size_t> own;
  int shared = 0;
  std::latch all_have_one(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      const ThreadLane lane = ThreadLane::mine();
      {
        const std::lock_guard lock(mutex);
        EXPECT_LT(lane.number(), ThreadLane::kCount);
        EXPECT_EQ(lane.is_own(), lane.number() < ThreadLane::kOwned);
        if (lane.is_own()) {
          EXPECT_TRUE(own.insert(lane.number()).second) << lane.number();
        } else {
          ++shared;
        }
      }
      all_have_one.arrive_and_wait();
      EXPECT_EQ(ThreadLane::mine().number(), lane.number()) << "for as long as it lives";
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(own.size() + static_cast<std::size_t>(shared), 100U);
  EXPECT_GE(own.size(), ThreadLane::kOwned - 1) << "all but that of the main thread";
}

TEST(ThreadLane, ALaneThatWasGivenBackIsTakenAgain) {
  static_assert(ThreadLane::kOwned < 70);
  for (int i = 0; i < 70; ++i) {
    std::thread([] { EXPECT_TRUE(ThreadLane::mine().is_own()); }).join();
  }
}

// Counts in a destructor that runs at the end of a thread, whose lane the next thread may have by
// then.
struct CountsAtItsEnd {
  explicit CountsAtItsEnd(bool& o) : own(o) {}
  ~CountsAtItsEnd() { own = ThreadLane::mine().is_own(); }
  bool& own;
};

TEST(ThreadLane, AThreadThatGaveItsLaneBackSharesOne) {
  bool own = true;
  std::thread([&] {
    thread_local const CountsAtItsEnd outlives_the_lane(own);
    EXPECT_TRUE(ThreadLane::mine().is_own());
  }).join();
  EXPECT_FALSE(own);
}

TEST(ThreadLane, LosesNoCountOfThreadsThatComeAndGo) {
  std::array<std::uint64_t, ThreadLane::kCount> counts{};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int generation = 0; generation < 50; ++generation) {
        std::thread([&] {
          const ThreadLane lane = ThreadLane::mine();
          for (int k = 0; k < 100; ++k) lane.add(std::atomic_ref(counts[lane.number()]), 1);
        }).join();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::uint64_t sum = 0;
  for (const std::uint64_t count : counts) sum += count;
  EXPECT_EQ(sum, 4U * 50 * 100);
}

}  // namespace
}  // namespace bloomery
