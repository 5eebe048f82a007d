// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/guard/fakes.h"

namespace bloomery {
namespace {

TEST(CacheGuardFailure, AFilterThatThrowsOpensTheGuard) {
  World world;
  world.database.write("not in the filter", "x");
  world.filter.throws = true;
  EXPECT_EQ(world.guard.get("alice"), "1");
  EXPECT_EQ(world.guard.get("not in the filter"), "x");
  const std::array<Key, 2> keys{"alice", "nobody"};
  EXPECT_EQ(world.guard.get_many(keys)[0], "1");
  const GuardCounters counters = world.guard.counters();
  EXPECT_EQ(counters.filter_errors, 3U);
  EXPECT_EQ(counters.unknowns, 4U);
  EXPECT_EQ(counters.filter_absents, 0U);
  EXPECT_EQ(counters.requests(), 4U);
}

// Says nothing at all about what it is asked.
struct SilentFilter final : FilterPlace {
  std::string name() const override { return "silent"; }
  PlaceHead head(const CallContext&) override { return {}; }
  void ask(std::span<const Key>, std::span<Presence>, Proofs&, const CallContext&) override {}
  void insert_many(std::span<const Key>, std::span<Inserted>, const CallContext&) override {}
};

TEST(CacheGuardFailure, WhatAFilterLeavesUnsaidIsUnknown) {
  SilentFilter filter;
  FakeCache cache;
  FakeDatabase database;
  database.write("alice", "1");
  CacheGuard<std::string> guard(filter, cache, database.loader());
  const std::array<Key, 1> keys{"alice"};
  EXPECT_EQ(guard.get_many(keys)[0], "1");
  EXPECT_EQ(guard.get("alice"), "1");
  EXPECT_EQ(guard.counters().unknowns, 2U);
}

TEST(CacheGuardFailure, ACacheThatThrowsIsAMissAndIsNotWrittenTo) {
  World world;
  world.filter.mistake("bob");
  world.cache.throws = true;
  EXPECT_EQ(world.guard.get("alice"), "1");
  EXPECT_EQ(world.guard.get("bob"), std::nullopt);
  EXPECT_EQ(world.guard.counters().cache_errors, 2U);
  EXPECT_EQ(world.guard.counters().database_queries, 2U);
  world.cache.throws = false;
  EXPECT_EQ(world.guard.get("alice"), "1");
  EXPECT_EQ(world.cache.state_of("alice"), Cached::hit);
}

TEST(CacheGuardFailure, AFailedWriteBackDoesNotFailTheRequest) {
  World world;
  world.add("bob", "2");
  world.filter.mistake("carol");
  world.cache.writes_throw = true;
  EXPECT_EQ(world.guard.get("alice"), "1");
  EXPECT_EQ(world.guard.get("carol"), std::nullopt);
  EXPECT_EQ(world.guard.counters().cache_errors, 2U);
  // The cache fails once a batch: the rest of the batch would only fail again.
  const std::array<Key, 3> keys{"alice", "bob", "carol"};
  EXPECT_EQ(world.guard.get_many(keys)[1], "2");
  EXPECT_EQ(world.guard.counters().cache_errors, 3U);
}

TEST(CacheGuardFailure, AShardThatIsAwayHarmsNoOther) {
  World world;
  world.add("bob", "2");
  world.cache.away = {"bob"};
  const std::array<Key, 2> keys{"alice", "bob"};
  EXPECT_EQ(world.guard.get_many(keys)[1], "2");
  EXPECT_EQ(world.cache.state_of("alice"), Cached::hit);
  EXPECT_EQ(world.cache.state_of("bob"), Cached::miss) << "not written where it could not be read";
  EXPECT_EQ(world.guard.get("bob"), "2");
  EXPECT_EQ(world.database.queries_for("bob"), 2);
}

TEST(CacheGuardFailure, ACacheThatKeepsFailingIsLeftAloneButForErasing) {
  World world({.failures_in_a_row = 3,
               .failure_pause = std::chrono::hours(1),
               .audit_every = 0,
               .jitter_seed = 1});
  world.cache.throws = true;
  for (int i = 0; i < 10; ++i) EXPECT_EQ(world.guard.get("alice"), "1");
  EXPECT_EQ(world.cache.batches, 3);
  EXPECT_EQ(world.guard.counters().cache_errors, 3U);
  EXPECT_EQ(world.guard.counters().cache_skips, 7U);
  world.cache.throws = false;
  world.guard.erased("alice");
  EXPECT_EQ(world.cache.erase_batches, 1);
}

TEST(CacheGuardFailure, AFilterThatKeepsFailingIsLeftAloneButForInserts) {
  World world({.failures_in_a_row = 3,
               .failure_pause = std::chrono::hours(1),
               .audit_every = 0,
               .jitter_seed = 1});
  world.filter.throws = true;
  for (int i = 0; i < 10; ++i) EXPECT_EQ(world.guard.get("alice"), "1");
  EXPECT_EQ(world.filter.batches, 3);
  EXPECT_EQ(world.guard.counters().unknowns, 10U);
  EXPECT_EQ(world.guard.counters().filter_skips, 7U);
  world.filter.throws = false;
  EXPECT_EQ(world.guard.get("nobody"), std::nullopt);
  EXPECT_EQ(world.guard.counters().filter_absents, 0U) << "still unknown";
  EXPECT_NO_THROW(static_cast<void>(world.guard.will_insert("bob")));
}

TEST(CacheGuardFailure, AHitWithoutAValueIsAMiss) {
  struct HollowCache final : Cache<std::string> {
    void get_many(std::span<const Key>, std::span<CacheAnswer<std::string>> answers,
                  const CallContext&) override {
      for (auto& answer : answers) answer.state = Cached::hit;
    }
    void put_many(std::span<const CacheEntry<std::string>>, const CallContext&) override {}
    void erase_many(std::span<const Key>, const CallContext&) override {}
  } cache;
  FakeFilter filter;
  filter.insert("alice");
  FakeDatabase database;
  database.write("alice", "1");
  CacheGuard<std::string> guard(filter, cache, database.loader());
  EXPECT_EQ(guard.get("alice"), "1");
  EXPECT_EQ(guard.counters().cache_hits, 0U);
}

TEST(CacheGuardFailure, ALoaderErrorIsPassedOnAndNeverCached) {
  World world;
  world.filter.mistake("bob");
  world.database.after_read = [] { throw std::out_of_range("no connection"); };
  EXPECT_THROW(world.guard.get("alice"), std::out_of_range);
  EXPECT_THROW(world.guard.get("bob"), std::out_of_range);
  EXPECT_EQ(world.cache.state_of("alice"), Cached::miss);
  EXPECT_EQ(world.cache.state_of("bob"), Cached::miss);
  EXPECT_EQ(world.guard.counters().loader_errors, 2U);
  EXPECT_EQ(world.guard.counters().failed, 2U);
  EXPECT_EQ(world.guard.counters().not_found, 0U);
  EXPECT_EQ(world.guard.counters().requests(), 2U);
  world.database.after_read = nullptr;
  EXPECT_EQ(world.guard.get("alice"), "1");
}

TEST(CacheGuardFailure, ALoaderErrorFailsTheWholeBatchAndCountsItsKeys) {
  World world;
  world.add("bob", "2");
  world.guard.get("alice");
  world.database.after_read = [] { throw 42; };  // anything may be thrown
  const std::array<Key, 4> keys{"alice", "bob", "bob", "mallory"};
  EXPECT_THROW(world.guard.get_many(keys), int);
  const GuardCounters counters = world.guard.counters();
  EXPECT_EQ(counters.cache_hits, 1U);
  EXPECT_EQ(counters.failed, 1U);
  EXPECT_EQ(counters.filter_absents, 1U);
  EXPECT_EQ(counters.requests(), 5U);
}

TEST(CacheGuardFailure, AWrongNumberOfAnswersIsALoaderError) {
  FakeFilter filter;
  filter.insert("alice");
  filter.insert("bob");
  FakeCache cache;
  std::size_t answer_count = 0;
  CacheGuard<std::string> guard(filter, cache, [&](std::span<const Key>) {
    return std::vector<std::optional<std::string>>(answer_count);
  });
  const std::array<Key, 2> keys{"alice", "bob"};
  for (const std::size_t count : {0U, 1U, 3U}) {
    answer_count = count;
    EXPECT_THROW(guard.get_many(keys), LoaderError) << count;
  }
  EXPECT_EQ(cache.state_of("alice"), Cached::miss);
  EXPECT_EQ(guard.counters().loader_errors, 3U);
  EXPECT_EQ(guard.counters().failed, 6U);
}

}  // namespace
}  // namespace bloomery
