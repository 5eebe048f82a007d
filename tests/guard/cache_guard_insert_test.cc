// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/guard/fakes.h"

namespace bloomery {
namespace {

TEST(CacheGuardInsert, ARowIsFoundAsSoonAsItsTokenEnds) {
  World world;
  EXPECT_EQ(world.guard.get("bob"), std::nullopt);
  {
    const InsertToken token = world.guard.will_insert("bob");
    world.database.write("bob", "2");
  }
  EXPECT_EQ(world.guard.get("bob"), "2");
}

// The key of the insert is in the filter from before the rebuild, and its row is not there to be
// scanned.
TEST(CacheGuardInsert, ARebuildWaitsForAnInsertThatWentIntoTheOldFilterOnly) {
  const CallContext at_once = CallContext::within(std::chrono::milliseconds(0));
  World world;
  bool is_waited_for = false;
  world.filter.after_insert = [&] { is_waited_for = !world.guard.wait_for_inserts(at_once); };
  {
    const InsertToken token = world.guard.will_insert("bob");
    EXPECT_TRUE(is_waited_for);
  }
  EXPECT_TRUE(world.guard.wait_for_inserts(at_once));

  world.filter.throws = true;
  EXPECT_THROW(static_cast<void>(world.guard.will_insert("bob")), std::runtime_error);
  EXPECT_TRUE(world.guard.wait_for_inserts(at_once)) << "nothing is inserted";
}

TEST(CacheGuardInsert, ANegativeEntryFromBeforeGoesWithTheToken) {
  World world;
  world.filter.mistake("bob");
  world.guard.get("bob");
  ASSERT_EQ(world.cache.state_of("bob"), Cached::negative);
  InsertToken token = world.guard.will_insert("bob");
  world.database.write("bob", "2");
  token.release();
  EXPECT_EQ(world.guard.get("bob"), "2");
}

TEST(CacheGuardInsert, WhileTheTokenLivesNoNegativeEntryIsWritten) {
  World world;
  auto first = std::optional(world.guard.will_insert("bob"));
  auto second = std::optional(world.guard.will_insert("bob"));
  EXPECT_EQ(world.guard.get("bob"), std::nullopt);
  EXPECT_EQ(world.cache.state_of("bob"), Cached::miss);
  first.reset();
  EXPECT_EQ(world.guard.get("bob"), std::nullopt);
  EXPECT_EQ(world.cache.state_of("bob"), Cached::miss);
  // A key that is being inserted is no mistake of the filter.
  EXPECT_EQ(world.guard.counters().false_positives, 0U);

  second.reset();  // rolled back: nothing was inserted
  EXPECT_EQ(world.guard.get("bob"), std::nullopt);
  EXPECT_EQ(world.cache.state_of("bob"), Cached::negative);
}

TEST(CacheGuardInsert, AQueryFromBeforeTheInsertDoesNotWriteItsNotFound) {
  World world;
  world.filter.mistake("bob");
  world.database.after_read = [&] {
    world.database.after_read = nullptr;
    const InsertToken token = world.guard.will_insert("bob");
    world.database.write("bob", "2");
  };
  EXPECT_EQ(world.guard.get("bob"), std::nullopt);  // read before the insert
  EXPECT_EQ(world.cache.state_of("bob"), Cached::miss);
  EXPECT_EQ(world.guard.get("bob"), "2");
}

TEST(CacheGuardInsert, AQueryFromBeforeTheCommitDoesNotWriteItsNotFoundAfterTheToken) {
  World world;
  auto token = std::optional(world.guard.will_insert("bob"));
  world.database.after_read = [&] {
    world.database.after_read = nullptr;
    world.database.write("bob", "2");
    token.reset();
  };
  EXPECT_EQ(world.guard.get("bob"), std::nullopt);  // read before the commit
  EXPECT_EQ(world.cache.state_of("bob"), Cached::miss);
  EXPECT_EQ(world.guard.get("bob"), "2");
}

TEST(CacheGuardInsert, NobodyBoardsAQueryFromBeforeTheCommit) {
  World world;
  world.filter.mistake("bob");
  std::optional<std::string> after_commit;
  world.database.after_read = [&] {
    world.database.after_read = nullptr;
    {
      const InsertToken token = world.guard.will_insert("bob");
      world.database.write("bob", "2");
    }
    std::thread reader([&] { after_commit = world.guard.get("bob"); });
    reader.join();  // it must not wait for the query we are in
  };
  EXPECT_EQ(world.guard.get("bob"), std::nullopt);
  EXPECT_EQ(after_commit, "2");
  EXPECT_EQ(world.guard.get("bob"), "2");
}

TEST(CacheGuardInsert, ATokenBeginsBesideASlowWriteAndItsEndWaitsForIt) {
  World world;
  world.filter.mistake("bob");
  std::thread writer;
  std::atomic<bool> has_ended = false;
  world.cache.before_write = [&] {
    world.cache.before_write = nullptr;
    // Does not wait for the write that we are in.
    auto token = std::make_shared<InsertToken>(world.guard.will_insert("bob"));
    world.database.write("bob", "2");
    writer = std::thread([&, token] {
      token->release();
      has_ended = true;
    });
    for (int i = 0; i < 100; ++i) std::this_thread::yield();
    EXPECT_FALSE(has_ended);
  };
  EXPECT_EQ(world.guard.get("bob"), std::nullopt);
  writer.join();
  EXPECT_EQ(world.cache.state_of("bob"), Cached::miss);
  EXPECT_EQ(world.guard.get("bob"), "2");
}

TEST(CacheGuardInsert, ManyRowsTakeOneTripToTheFilterAndOneToTheCache) {
  World world;
  std::vector<std::string> names;
  for (int i = 0; i < 100; ++i) names.push_back("row " + std::to_string(i));
  const std::vector<Key> keys(names.begin(), names.end());
  world.filter.insert_batches = 0;
  InsertToken token = world.guard.will_insert_many(keys);
  for (const Key key : keys) world.database.write(key, key);
  token.release();
  EXPECT_EQ(world.filter.insert_batches, 1);
  EXPECT_EQ(world.cache.erase_batches, 1);
  for (const Key key : keys) EXPECT_EQ(world.guard.get(key), key);
  world.guard.erased_many(keys);
  EXPECT_EQ(world.cache.erase_batches, 2);
  for (const Key key : keys) EXPECT_EQ(world.cache.state_of(key), Cached::miss);
}

TEST(CacheGuardInsert, TheTokensOfNowCanBeWaitedFor) {
  World world;
  EXPECT_TRUE(world.guard.wait_for_inserts());
  auto before = std::make_optional(world.guard.will_insert("bob"));
  EXPECT_FALSE(world.guard.wait_for_inserts(CallContext::within(std::chrono::milliseconds(1))));
  std::atomic<bool> waited = false;
  std::thread waiter([&] {
    EXPECT_TRUE(world.guard.wait_for_inserts());
    waited = true;
  });
  EXPECT_FALSE(waited);
  before.reset();
  waiter.join();
}

TEST(CacheGuardInsert, OfAReplicaNoNegativeEntryIsKept) {
  World world({.reads_replica = true, .audit_every = 0, .jitter_seed = 1});
  world.filter.mistake("bob");
  EXPECT_EQ(world.guard.get("bob"), std::nullopt);
  EXPECT_EQ(world.cache.state_of("bob"), Cached::miss);
  EXPECT_EQ(world.guard.get("alice"), "1");
  EXPECT_EQ(world.cache.state_of("alice"), Cached::hit);
}

TEST(CacheGuardInsert, AFilterThatCannotInsertForbidsTheInsert) {
  World world;
  world.filter.throws = true;
  EXPECT_THROW(static_cast<void>(world.guard.will_insert("bob")), std::runtime_error);
  EXPECT_EQ(world.guard.counters().filter_errors, 1U);
  // The failed call leaves nothing behind.
  world.filter.throws = false;
  world.filter.mistake("bob");
  world.guard.get("bob");
  EXPECT_EQ(world.cache.state_of("bob"), Cached::negative);
}

TEST(CacheGuardInsert, ACacheThatCannotEraseIsToldByReleaseAndCounted) {
  World world;
  {
    InsertToken told = world.guard.will_insert("bob");
    world.cache.throws = true;
    EXPECT_THROW(told.release(), std::runtime_error);
    EXPECT_EQ(world.guard.counters().cache_errors, 1U);
  }
  EXPECT_EQ(world.guard.counters().cache_errors, 2U);
  // The key is no longer held to be under way.
  world.cache.throws = false;
  world.guard.get("bob");
  EXPECT_EQ(world.cache.state_of("bob"), Cached::negative);
}

TEST(CacheGuardInsert, AReleaseThatFailedIsTriedAgain) {
  World world;
  world.filter.mistake("bob");
  world.guard.get("bob");
  InsertToken token = world.guard.will_insert("bob");
  world.database.write("bob", "2");
  world.cache.throws = true;
  EXPECT_THROW(token.release(), std::runtime_error);
  world.cache.throws = false;
  token.release();
  EXPECT_EQ(world.guard.get("bob"), "2");
}

}  // namespace
}  // namespace bloomery
