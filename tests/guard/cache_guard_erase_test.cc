// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <latch>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>

#include "tests/guard/fakes.h"

namespace bloomery {
namespace {

CallContext hurry() {
  return CallContext::within(std::chrono::milliseconds(5));
}

// A thread that has read a row writes it to the cache, and the write takes until `end`.
class SlowWrite : public ::testing::Test {
 protected:
  ~SlowWrite() override {
    if (writer_.joinable()) end();
  }
  void start(Key key) {
    world.cache.before_write = [this] {
      if (!first_.exchange(false)) return;
      writing_.count_down();
      go_on_.wait();
    };
    writer_ = std::thread([this, key] { old_answer = world.guard.get(key); });
    writing_.wait();
  }
  void end() {
    go_on_.count_down();
    writer_.join();
  }

  World world;
  std::optional<std::string> old_answer;

 private:
  std::atomic<bool> first_ = true;
  std::latch writing_{1};
  std::latch go_on_{1};
  std::thread writer_;
};

TEST_F(SlowWrite, ErasedLeavesAtItsDeadlineAndTheOldValueIsNotServed) {
  start("alice");
  world.database.write("alice", "new");
  EXPECT_THROW(world.guard.erased("alice", hurry()), CallAborted);
  EXPECT_EQ(world.guard.get("alice"), "new");
  const std::array<Key, 2> keys{"alice", "nobody"};
  EXPECT_EQ(world.guard.get_many(keys)[0], "new");
  EXPECT_EQ(world.cache.erase_batches, 0) << "in vain while it is written";
  end();
  EXPECT_EQ(old_answer, "1");
  EXPECT_EQ(world.cache.state_of("alice"), Cached::miss) << "who wrote it has erased it";
  EXPECT_EQ(world.guard.get("alice"), "new");
  EXPECT_EQ(world.cache.peek("alice").value, "new") << "believed again";
}

TEST_F(SlowWrite, ErasedMayBeCalledAgain) {
  start("alice");
  world.database.write("alice", "new");
  EXPECT_THROW(world.guard.erased("alice", hurry()), CallAborted);
  EXPECT_THROW(world.guard.erased("alice", hurry()), CallAborted);
  std::thread eraser([&] { EXPECT_NO_THROW(world.guard.erased("alice")); });
  end();
  eraser.join();
  EXPECT_EQ(world.guard.get("alice"), "new");
}

// The flight that the other erased() detached is still writing.
TEST_F(SlowWrite, TwoWhoEraseAKeyBothWaitForItsWrite) {
  start("alice");
  world.database.write("alice", "new");
  std::thread patient([&] { world.guard.erased("alice"); });
  EXPECT_THROW(world.guard.erased("alice", hurry()), CallAborted);
  EXPECT_THROW(world.guard.erased("alice", hurry()), CallAborted) << "the first one detached it";
  EXPECT_EQ(world.guard.get("alice"), "new");
  end();
  patient.join();
  EXPECT_EQ(world.guard.get("alice"), "new");
}

TEST_F(SlowWrite, ATokenIsReleasedAgainAfterItsDeadline) {
  world.filter.mistake("bob");
  start("bob");
  InsertToken token = world.guard.will_insert("bob");
  world.database.write("bob", "2");
  EXPECT_THROW(token.release(hurry()), CallAborted);
  EXPECT_EQ(world.guard.get("bob"), "2");
  end();
  token.release();
  EXPECT_EQ(old_answer, std::nullopt);
  EXPECT_EQ(world.guard.get("bob"), "2");
}

TEST_F(SlowWrite, ATokenThatGoesWaitsForNobodyAndItsRowIsFound) {
  world.filter.mistake("bob");
  start("bob");
  {
    const InsertToken token = world.guard.will_insert("bob");
    world.database.write("bob", "2");
  }
  EXPECT_EQ(world.guard.get("bob"), "2");
  end();
  EXPECT_NE(world.cache.state_of("bob"), Cached::negative);
  EXPECT_EQ(world.guard.get("bob"), "2");
}

TEST(CacheGuardErase, ACachedValueGoes) {
  World world;
  world.guard.get("alice");
  world.database.remove("alice");
  world.guard.erased("alice");
  EXPECT_EQ(world.guard.get("alice"), std::nullopt);
}

TEST(CacheGuardErase, AQueryUnderWayDoesNotBringTheOldValueBack) {
  World world;
  std::optional<std::string> after_change;
  world.database.after_read = [&] {
    world.database.after_read = nullptr;
    world.database.write("alice", "new");
    world.guard.erased("alice");
    std::thread reader([&] { after_change = world.guard.get("alice"); });
    reader.join();
  };
  EXPECT_EQ(world.guard.get("alice"), "1");  // asked before the change
  EXPECT_EQ(after_change, "new");
  EXPECT_EQ(world.cache.peek("alice").value, "new");
}

// The query reads the old row, and its caller gives up: those who share it, and those who come
// after the erase, ask anew.
TEST(CacheGuardErase, AQueryThatIsGivenUpLeavesNobodyTheOldValue) {
  World world;
  std::atomic<bool> is_first = true;
  std::latch read(1);
  std::latch go(1);
  std::stop_source hurry;
  world.database.after_read = [&] {
    if (!is_first.exchange(false)) return;
    read.count_down();
    go.wait();
    throw std::runtime_error("the caller has gone");
  };
  std::thread leader([&] {
    EXPECT_THROW(world.guard.get("alice", {.stop = hurry.get_token()}), std::runtime_error);
  });
  read.wait();
  std::atomic<bool> asks = false;
  world.cache.after_get = [&] { asks = true; };
  std::thread sharer([&] { EXPECT_EQ(world.guard.get("alice"), "new"); });
  while (!asks) std::this_thread::yield();
  world.database.write("alice", "new");
  world.guard.erased("alice");
  EXPECT_EQ(world.guard.get("alice"), "new");
  hurry.request_stop();
  go.count_down();
  leader.join();
  sharer.join();
  EXPECT_EQ(world.guard.get("alice"), "new");
  EXPECT_EQ(world.guard.counters().aborted, 1U);
}

TEST(CacheGuardErase, AWriteUnderWayIsErasedAfterIt) {
  World world;
  std::thread eraser;
  world.cache.before_write = [&] {
    world.cache.before_write = nullptr;
    world.database.remove("alice");
    eraser = std::thread([&] {
      world.guard.erased("alice");
      EXPECT_EQ(world.cache.state_of("alice"), Cached::miss);
    });
    for (int i = 0; i < 100; ++i) std::this_thread::yield();
  };
  EXPECT_EQ(world.guard.get("alice"), "1");
  eraser.join();
  EXPECT_EQ(world.cache.state_of("alice"), Cached::miss);
}

TEST(CacheGuardErase, ACacheThatCannotEraseIsAnError) {
  World world;
  world.cache.throws = true;
  EXPECT_THROW(world.guard.erased("alice"), std::runtime_error);
  EXPECT_EQ(world.guard.counters().cache_errors, 1U);
}

TEST(CacheGuardErase, WhatCouldNotBeErasedIsNotServed) {
  World world;
  world.guard.get("alice");
  world.database.write("alice", "new");
  world.cache.erases_throw = true;
  EXPECT_THROW(world.guard.erased("alice"), std::runtime_error);
  ASSERT_EQ(world.cache.peek("alice").value, "1");
  EXPECT_EQ(world.guard.get("alice"), "new");
  const std::array<Key, 1> keys{"alice"};
  EXPECT_EQ(world.guard.get_many(keys)[0], "new");
  world.cache.erases_throw = false;
  EXPECT_EQ(world.guard.get("alice"), "new");
  EXPECT_EQ(world.cache.peek("alice").value, "new") << "erased when it was asked for";
  EXPECT_EQ(world.guard.counters().cache_hits, 0U);
  EXPECT_EQ(world.guard.get("alice"), "new");
  EXPECT_EQ(world.guard.counters().cache_hits, 1U);
}

TEST(CacheGuardErase, OtherKeysOfABatchAreServedMeanwhile) {
  World world;
  world.add("bob", "2");
  world.guard.get("bob");
  world.cache.erases_throw = true;
  EXPECT_THROW(world.guard.erased("alice"), std::runtime_error);
  const std::array<Key, 3> keys{"bob", "alice", "bob"};
  const auto rows = world.guard.get_many(keys);
  EXPECT_EQ(rows[0], "2");
  EXPECT_EQ(rows[1], "1");
  EXPECT_EQ(world.guard.counters().cache_hits, 1U);
}

TEST(CacheGuardErase, ATokenThatCouldNotEraseDeniesNoRow) {
  World world;
  world.filter.mistake("bob");
  world.guard.get("bob");
  {
    const InsertToken token = world.guard.will_insert("bob");
    world.database.write("bob", "2");
    world.cache.erases_throw = true;
  }
  ASSERT_EQ(world.cache.state_of("bob"), Cached::negative);
  EXPECT_EQ(world.guard.get("bob"), "2");
}

}  // namespace
}  // namespace bloomery
