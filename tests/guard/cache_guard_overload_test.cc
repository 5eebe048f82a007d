// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <latch>
#include <string>
#include <thread>

#include "tests/guard/fakes.h"
#include "tests/support/run_threads.h"

namespace bloomery {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;

const GuardOptions kOneAtATime{
    .queries_at_once = 1, .query_wait = milliseconds(1), .audit_every = 0, .jitter_seed = 1};

// A world in which one query holds the only place until `end` is called.
class BusyWorld : public testing::Test {
 protected:
  BusyWorld() {
    world.add("slow", "s");
    world.add("bob", "2");
  }
  void start() {
    world.database.after_read = [this] {
      if (first_.exchange(false)) {
        reading_.count_down();
        go_on_.wait();
      }
    };
    holder_ = std::thread([this] { EXPECT_EQ(world.guard.get("slow"), "s"); });
    reading_.wait();
  }
  void end() {
    go_on_.count_down();
    holder_.join();
  }

  World world{kOneAtATime};

 private:
  std::atomic<bool> first_ = true;
  std::latch reading_{1};
  std::latch go_on_{1};
  std::thread holder_;
};

TEST_F(BusyWorld, ShedsUnknownKeysBeyondTheLimit) {
  world.filter.unknown = true;
  start();
  EXPECT_THROW(world.guard.get("bob"), GuardOverloaded);
  const std::array<Key, 2> keys{"alice", "bob"};
  EXPECT_THROW(world.guard.get_many(keys), GuardOverloaded);
  EXPECT_EQ(world.guard.counters().shed, 3U);
  EXPECT_EQ(world.database.queries(), 1);
  end();
  EXPECT_EQ(world.guard.get("bob"), "2");
  EXPECT_EQ(world.guard.counters().loader_errors, 0U);
  EXPECT_EQ(world.guard.counters().requests(), 5U);
}

TEST_F(BusyWorld, ShedsKeysThatTheFilterKnowsTooWhereTheCacheIsCold) {
  start();
  EXPECT_THROW(world.guard.get("bob"), GuardOverloaded);
  end();
  EXPECT_EQ(world.guard.get("bob"), "2");
}

TEST_F(BusyWorld, ServesUnknownKeysFromTheCache) {
  world.guard.get("bob");
  world.filter.unknown = true;
  start();
  EXPECT_EQ(world.guard.get("bob"), "2");
  end();
}

TEST_F(BusyWorld, ABrokenCacheIsUnderTheSameLimit) {
  world.cache.throws = true;
  start();
  EXPECT_THROW(world.guard.get("bob"), GuardOverloaded);
  EXPECT_EQ(world.guard.counters().shed, 1U);
  end();
  EXPECT_EQ(world.guard.get("bob"), "2");
}

TEST(CacheGuardOverload, NeverRunsMoreQueriesThanAllowedWhateverTheReason) {
  World world({.queries_at_once = 2, .query_wait = minutes(5), .audit_every = 3, .jitter_seed = 1});
  for (int i = 0; i < 800; i += 2) world.filter.mistake(std::to_string(i));
  std::atomic<int> inside = 0;
  std::atomic<int> most = 0;
  world.database.after_read = [&] {
    const int now = ++inside;
    for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
    }
    std::this_thread::yield();
    --inside;
  };
  run_threads(8, [&](int thread) {
    for (int i = 0; i < 25; ++i) {
      world.filter.unknown = i % 3 == 0;
      EXPECT_EQ(world.guard.get(std::to_string(thread * 100 + i)), std::nullopt);
    }
  });
  EXPECT_GE(most, 1);
  EXPECT_LE(most, 2);
  EXPECT_EQ(world.guard.counters().requests(), 200U);
  EXPECT_EQ(world.guard.counters().shed, 0U);
}

}  // namespace
}  // namespace bloomery
