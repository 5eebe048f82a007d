// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <latch>
#include <stop_token>
#include <string>
#include <thread>

#include "tests/guard/fakes.h"

namespace bloomery {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

// A world in which a query for "slow" stays in the database until `end` is called.
class SlowWorld : public ::testing::Test {
 protected:
  SlowWorld() { world.add("slow", "s"); }
  void start() {
    world.database.after_read = [this] {
      if (!first_.exchange(false)) return;
      reading_.count_down();
      go_on_.wait();
    };
    leader_ = std::thread([this] { EXPECT_EQ(world.guard.get("slow"), "s"); });
    reading_.wait();
  }
  void end() {
    go_on_.count_down();
    leader_.join();
  }

  World world{{.queries_at_once = 2, .query_wait = hours(1), .audit_every = 0, .jitter_seed = 1}};

 private:
  std::atomic<bool> first_ = true;
  std::latch reading_{1};
  std::latch go_on_{1};
  std::thread leader_;
};

TEST_F(SlowWorld, AWaiterLeavesAtItsDeadlineAndTheFlightGoesOn) {
  start();
  EXPECT_THROW(world.guard.get("slow", CallContext::within(milliseconds(5))), CallAborted);
  const std::array<Key, 2> keys{"alice", "slow"};
  EXPECT_THROW(world.guard.get_many(keys, CallContext::within(milliseconds(5))), CallAborted);
  EXPECT_EQ(world.cache.peek("alice").value, "1") << "what was loaded is cached";
  end();
  EXPECT_EQ(world.cache.peek("slow").value, "s");
  EXPECT_EQ(world.database.queries_for("slow"), 1);
  EXPECT_EQ(world.guard.counters().aborted, 2U);
  EXPECT_EQ(world.guard.counters().requests(), 4U);
}

TEST_F(SlowWorld, AStopLetsAWaiterGo) {
  start();
  std::stop_source stop;
  std::atomic<bool> left = false;
  std::thread waiter([&] {
    EXPECT_THROW(world.guard.get("slow", {.stop = stop.get_token()}), CallAborted);
    left = true;
  });
  EXPECT_FALSE(left);
  stop.request_stop();
  waiter.join();
  end();
}

TEST_F(SlowWorld, WhoWaitsForHisTurnLeavesAtHisDeadline) {
  world.add("slow too", "t");
  std::latch second_reads(1);
  std::latch second_ends(1);
  start();
  world.database.after_read = [&] {
    second_reads.count_down();
    second_ends.wait();
  };
  std::thread second([&] { EXPECT_EQ(world.guard.get("slow too"), "t"); });
  second_reads.wait();
  EXPECT_THROW(world.guard.get("alice", CallContext::within(milliseconds(5))), CallAborted);
  EXPECT_EQ(world.guard.counters().shed, 0U);
  second_ends.count_down();
  second.join();
  end();
}

TEST_F(SlowWorld, ALeaderInAHurryFailsNobodyElse) {
  std::stop_source stop;
  std::latch reading(1);
  std::atomic<int> queries = 0;
  // The loader keeps the deadline of the one it asks for.
  CacheGuard<std::string> guard(world.filter, world.cache,
                                [&](std::span<const Key> keys, const CallContext& context) {
                                  if (++queries == 1) {
                                    reading.count_down();
                                    while (!context.is_over()) std::this_thread::yield();
                                    throw std::runtime_error("query cancelled");
                                  }
                                  return world.database.load(keys, context);
                                },
                                {.audit_every = 0});
  std::thread leader(
      [&] { EXPECT_THROW(guard.get("alice", {.stop = stop.get_token()}), std::runtime_error); });
  reading.wait();
  std::thread other([&] { EXPECT_EQ(guard.get("alice"), "1"); });
  while (world.cache.batches < 2) std::this_thread::yield();  // the other has missed the cache
  stop.request_stop();
  leader.join();
  other.join();
  EXPECT_EQ(guard.counters().aborted, 1U);
  EXPECT_EQ(guard.counters().failed, 0U);
  EXPECT_EQ(guard.counters().requests(), 2U);
}

TEST_F(SlowWorld, TheContextReachesFilterCacheAndLoader) {
  int span = 0;
  EXPECT_EQ(world.guard.get("alice", {.user = &span}), "1");
  EXPECT_EQ(world.filter.last_user, &span);
  EXPECT_EQ(world.cache.last_user, &span);
  EXPECT_EQ(world.database.last_user, &span);
}

TEST_F(SlowWorld, BehindAFenceNobodysOlderQueryIsShared) {
  start();
  const Fence fence{.at_least = {{7, 7}, 1}};
  EXPECT_EQ(world.guard.get("slow", {.fence = &fence}), "s");
  EXPECT_EQ(world.database.queries_for("slow"), 2);
  end();
}

TEST_F(SlowWorld, BehindAFenceANegativeEntryIsNoAnswer) {
  world.filter.mistake("bob");
  world.guard.get("bob");
  ASSERT_EQ(world.cache.state_of("bob"), Cached::negative);
  world.database.write("bob", "2");  // by somebody who told nobody
  const Fence fence{.at_least = {{7, 7}, 1}};
  EXPECT_EQ(world.guard.get("bob", {.fence = &fence}), "2");
  const std::array<Key, 1> keys{"bob"};
  EXPECT_EQ(world.guard.get_many(keys, {.fence = &fence})[0], "2");
}

}  // namespace
}  // namespace bloomery
