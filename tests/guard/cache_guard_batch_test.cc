// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <latch>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/guard/fakes.h"

namespace bloomery {
namespace {

using Answers = std::vector<std::optional<std::string>>;

TEST(CacheGuardBatch, TakesOneFilterBatchOneCacheBatchAndOneQuery) {
  World world;
  world.add("carol", "3");
  world.add("dave", "4");
  world.filter.mistake("bob");
  world.guard.get("dave");
  world.filter.batches = world.cache.batches = 0;
  const int queries = world.database.queries();

  const std::array<Key, 5> keys{"carol", "mallory", "bob", "alice", "dave"};
  EXPECT_EQ(world.guard.get_many(keys), (Answers{"3", std::nullopt, std::nullopt, "1", "4"}));
  EXPECT_EQ(world.filter.batches, 1);
  EXPECT_EQ(world.cache.batches, 1);
  EXPECT_EQ(world.database.queries(), queries + 1);

  const GuardCounters counters = world.guard.counters();
  EXPECT_EQ(counters.filter_absents, 1U);
  EXPECT_EQ(counters.cache_hits, 1U);
  EXPECT_EQ(counters.found, 3U);
  EXPECT_EQ(counters.not_found, 1U);
  EXPECT_EQ(counters.false_positives, 1U);
  EXPECT_EQ(counters.keys_loaded, 4U);
  EXPECT_EQ(counters.requests(), 6U);

  EXPECT_EQ(world.guard.get_many(keys), (Answers{"3", std::nullopt, std::nullopt, "1", "4"}));
  EXPECT_EQ(world.database.queries(), queries + 1);
}

TEST(CacheGuardBatch, AColdBatchTakesTwoTripsToTheCache) {
  World world;
  std::vector<std::string> names;
  for (int i = 0; i < 1'000; ++i) {
    names.push_back("row " + std::to_string(i));
    if (i % 2 == 0) world.add(names.back(), "x");
    if (i % 2 == 1) world.filter.mistake(names.back());
  }
  const std::vector<Key> keys(names.begin(), names.end());
  world.guard.get_many(keys);
  EXPECT_EQ(world.cache.batches, 1);
  EXPECT_EQ(world.cache.put_batches, 1);
  EXPECT_EQ(world.cache.writes, 1'000);
  EXPECT_EQ(world.database.queries(), 1);
  EXPECT_EQ(world.cache.state_of("row 0"), Cached::hit);
  EXPECT_EQ(world.cache.state_of("row 1"), Cached::negative);
}

TEST(CacheGuardBatch, AsksForADuplicateOnce) {
  World world;
  const std::array<Key, 5> keys{"alice", "mallory", "alice", "mallory", "alice"};
  EXPECT_EQ(world.guard.get_many(keys), (Answers{"1", std::nullopt, "1", std::nullopt, "1"}));
  EXPECT_EQ(world.database.queries_for("alice"), 1);
  const GuardCounters counters = world.guard.counters();
  EXPECT_EQ(counters.keys_loaded, 1U);
  EXPECT_EQ(counters.coalesced, 2U);
  EXPECT_EQ(counters.filter_absents, 2U);
  EXPECT_EQ(counters.requests(), 5U);
}

TEST(CacheGuardBatch, NothingAskedIsNothingDone) {
  World world;
  EXPECT_TRUE(world.guard.get_many({}).empty());
  EXPECT_EQ(world.cache.batches, 0);
  EXPECT_EQ(world.guard.counters().requests(), 0U);
}

TEST(CacheGuardBatch, AllAbsentAsksTheFilterAlone) {
  World world;
  const std::array<Key, 2> keys{"mallory", "trudy"};
  EXPECT_EQ(world.guard.get_many(keys), (Answers{std::nullopt, std::nullopt}));
  EXPECT_EQ(world.cache.batches, 0);
  EXPECT_EQ(world.guard.counters().filter_absents, 2U);
}

// The batch starts while bob is in the air elsewhere, and bob lands only after the batch's own
// query has run: waiting for bob first would never end.
TEST(CacheGuardBatch, WaitsForOthersOnlyAfterItsOwnQuery) {
  World world;
  world.add("bob", "2");
  std::latch bob_is_read(1);
  std::latch alice_is_read(1);
  std::atomic<int> reads = 0;
  world.database.after_read = [&] {
    if (++reads == 1) {
      bob_is_read.count_down();
      alice_is_read.wait();
    } else {
      alice_is_read.count_down();
    }
  };
  std::thread other([&] { EXPECT_EQ(world.guard.get("bob"), "2"); });
  bob_is_read.wait();
  const std::array<Key, 2> keys{"bob", "alice"};
  EXPECT_EQ(world.guard.get_many(keys), (Answers{"2", "1"}));
  other.join();

  EXPECT_EQ(world.database.queries_for("bob"), 1);
  EXPECT_EQ(world.guard.counters().coalesced, 1U);
  EXPECT_EQ(world.guard.counters().requests(), 3U);
}

}  // namespace
}  // namespace bloomery
