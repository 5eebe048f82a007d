// SPDX-License-Identifier: Apache-2.0
// A guard over a cache that grants leases: who loads, who waits, and what becomes of each lease.

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/guard/fake_leases.h"
#include "tests/support/run_threads.h"

namespace bloomery {
namespace {

using std::chrono::milliseconds;

struct Leased {
  explicit Leased(GuardOptions options = {})
      : guard(filter, cache, database.loader(), without_audit(options)) {
    for (const char* key : {"alice", "bob", "carol", "ghost"}) filter.insert(key);
    for (const char* key : {"alice", "bob", "carol"}) database.write(key, key);
  }
  static GuardOptions without_audit(GuardOptions options) {
    options.audit_every = 0;
    options.jitter_seed = 1;
    return options;
  }

  FakeFilter filter;
  FakeLeases cache;
  FakeDatabase database;
  CacheGuard<std::string> guard;
};

// A thread that has read a row, and holds the answer until end(). Later queries are not held.
class OldQuery {
 public:
  OldQuery(Leased& world, const char* key, std::optional<std::string> row) {
    world.database.after_read = [this] {
      if (has_read_.exchange(true)) return;
      while (!may_end_) std::this_thread::yield();
    };
    thread_ = std::thread([&world, key, row] { EXPECT_EQ(world.guard.get(key), row); });
    while (!has_read_) std::this_thread::yield();
  }
  void end() {
    may_end_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> has_read_ = false;
  std::atomic<bool> may_end_ = false;
  std::thread thread_;
};

TEST(CacheGuardLeases, WhatIsLoadedIsWrittenUnderTheLease) {
  Leased world;
  EXPECT_EQ(world.guard.get("alice"), "alice");
  EXPECT_EQ(world.guard.get("ghost"), std::nullopt);
  EXPECT_EQ(world.guard.get_many(std::vector<Key>{"bob", "alice", "ghost"}).at(0), "bob");
  EXPECT_EQ(world.cache.row("alice"), "alice");
  EXPECT_EQ(world.cache.row("bob"), "bob");
  EXPECT_EQ(world.cache.row("ghost"), "");
  EXPECT_FALSE(world.cache.has_lease("alice"));
  EXPECT_EQ(world.cache.claims, 0);
  EXPECT_EQ(world.database.queries(), 3);
}

TEST(CacheGuardLeases, WhatAnotherProcessLoadsIsAwaited) {
  Leased world;
  world.cache.lease_elsewhere("alice");
  world.cache.before_claim = [&] {
    if (world.cache.claims == 3) world.cache.put_elsewhere("alice", "theirs");
  };
  EXPECT_EQ(world.guard.get("alice"), "theirs");
  EXPECT_EQ(world.database.queries(), 0);
  EXPECT_EQ(world.guard.counters().cache_hits, 1U);
  EXPECT_EQ(world.guard.counters().requests(), 1U);
}

TEST(CacheGuardLeases, ABatchLoadsItsOwnWhileItWaits) {
  Leased world;
  world.cache.lease_elsewhere("alice");
  world.database.after_read = [&] { world.cache.put_elsewhere("alice", "theirs"); };
  const auto rows = world.guard.get_many(std::vector<Key>{"alice", "bob"});
  EXPECT_EQ(rows[0], "theirs");
  EXPECT_EQ(rows[1], "bob");
  EXPECT_EQ(world.database.queries_for("alice"), 0);
}

TEST(CacheGuardLeases, WhoWaitsTooLongIsToldSo) {
  Leased world({.wait_limit = milliseconds(20)});
  world.cache.lease_elsewhere("alice");
  EXPECT_THROW(world.guard.get("alice"), WaitedTooLong);
  EXPECT_EQ(world.guard.counters().shed, 1U);
  EXPECT_THROW(world.guard.get("alice", CallContext::within(milliseconds(5))), CallAborted);
  world.cache.put_elsewhere("alice", "theirs");
  EXPECT_EQ(world.guard.get("alice"), "theirs");
  EXPECT_EQ(world.guard.counters().requests(), 3U);
}

TEST(CacheGuardLeases, ALoaderThatFailsGivesItsLeasesBack) {
  Leased world;
  world.database.before_read = [] { throw std::out_of_range("no database"); };
  EXPECT_THROW(world.guard.get_many(std::vector<Key>{"alice", "bob"}), std::out_of_range);
  EXPECT_EQ(world.cache.drops, 2);
  EXPECT_FALSE(world.cache.has_lease("alice"));
}

TEST(CacheGuardLeases, ALoaderOfAReplicaGivesTheLeaseOfNoRowBack) {
  Leased world({.reads_replica = true});
  EXPECT_EQ(world.guard.get("ghost"), std::nullopt);
  EXPECT_EQ(world.cache.drops, 1);
  EXPECT_EQ(world.cache.row("ghost"), "-");
}

// A second process commits and erases while a thread of this one still has the old row in hand. A
// caller who asks then has a lease of his own, and loads.
TEST(CacheGuardLeases, NobodySharesAQueryFromBeforeAnEraseElsewhere) {
  Leased world;
  OldQuery old(world, "alice", "alice");
  world.database.write("alice", "new");
  world.cache.erase("alice");
  EXPECT_EQ(world.guard.get("alice"), "new");
  old.end();
  EXPECT_EQ(world.cache.late, 0) << "nor is the old one written: it is known to be late";
  EXPECT_EQ(world.cache.row("alice"), "new");
}

// A query of this process may have read a row before another process changed and erased it. So
// whoever waits for the query asks anew.
TEST(CacheGuardLeases, WhoWaitsForAQueryFromBeforeAnEraseElsewhereAsksAnew) {
  for (int round = 0; round < 20; ++round) {
    Leased world;
    OldQuery old(world, "alice", "alice");
    std::atomic<bool> has_come = false;
    world.cache.before_get = [&] { has_come = true; };
    std::thread waiter([&] { EXPECT_EQ(world.guard.get("alice"), "new"); });
    while (!has_come) std::this_thread::yield();
    world.database.write("alice", "new");
    world.cache.erase("alice");
    old.end();
    waiter.join();
  }
}

// A second process announced the row: until its commit nobody has a lease.
TEST(CacheGuardLeases, NobodyIsDeniedByAQueryFromBeforeAnInsertElsewhere) {
  Leased world;
  OldQuery old(world, "ghost", std::nullopt);
  const Identity insert = Identity::random();
  const Key key = "ghost";
  world.cache.announce_many({&key, 1}, insert, {});
  world.database.write("ghost", "risen");  // and committed
  // The old query has ended, and its answer is on its way to the cache, until somebody has asked.
  std::atomic<bool> is_told = false;
  world.cache.before_put = [&] {
    while (!is_told) std::this_thread::yield();
  };
  std::thread asker([&] {
    EXPECT_EQ(world.guard.get("ghost"), "risen");
    is_told = true;
  });
  old.end();
  asker.join();
  EXPECT_EQ(world.cache.row("ghost"), "-");
}

TEST(CacheGuardLeases, ManyThreadsAreOneQueryAndTwoWhereNothingMayBeWritten) {
  constexpr int kThreads = 8;
  Leased world;
  for (int round = 0; round < 20; ++round) {
    const std::string key = "key" + std::to_string(round);
    world.filter.insert(key);
    world.database.write(key, key);
    const Key asked = key;
    const Identity insert = Identity::random();
    const bool is_announced = round % 2 == 1;
    if (is_announced) world.cache.announce_many({&asked, 1}, insert, {});
    run_threads(kThreads, [&](int) { EXPECT_EQ(world.guard.get(key), key); });
    if (!is_announced) {
      EXPECT_EQ(world.database.queries_for(key), 1) << round;
    }
    EXPECT_EQ(world.cache.row(key), is_announced ? "-" : key);
  }
}

TEST(CacheGuardLeases, WhileTheCacheIsAwayTheDatabaseIsAsked) {
  Leased world;
  world.cache.throws = true;
  run_threads(4, [&](int) { EXPECT_EQ(world.guard.get("alice"), "alice"); });
  world.cache.throws = false;
  EXPECT_EQ(world.cache.row("alice"), "-");
}

TEST(CacheGuardLeases, OneCallerLoadsAnewWhatIsDue) {
  Leased world({.value_ttl = milliseconds(1'000), .ttl_jitter = 0, .refresh_ahead = 0.25});
  EXPECT_EQ(world.guard.get("alice"), "alice");
  EXPECT_EQ(world.cache.last_refresh_after, milliseconds(750));
  world.database.write("alice", "new");
  world.cache.make_due("alice");
  EXPECT_EQ(world.guard.get("alice"), "alice") << "the old one is the answer";
  EXPECT_EQ(world.guard.get("alice"), "new");
  world.cache.make_due("alice");
  world.database.before_read = [] { throw std::out_of_range("no database"); };
  EXPECT_EQ(world.guard.get_many(std::vector<Key>{"alice"}).at(0), "new");
  EXPECT_FALSE(world.cache.has_lease("alice"));
  EXPECT_THROW(Leased({.refresh_ahead = 1.0}), std::invalid_argument);
}

TEST(CacheGuardLeases, AnInsertIsAnnouncedRenewedAndEnded) {
  Leased world;
  EXPECT_EQ(world.guard.get("ghost"), std::nullopt);
  {
    auto token = world.guard.will_insert("ghost");
    EXPECT_EQ(world.cache.row("ghost"), "-");
    EXPECT_EQ(world.cache.marks_of("ghost"), 1U);
    EXPECT_TRUE(token.renew());
    EXPECT_EQ(world.guard.get("ghost"), std::nullopt);
    EXPECT_EQ(world.cache.row("ghost"), "-") << "nothing is written";
    world.database.write("ghost", "risen");
    token.release();
    EXPECT_THROW(token.renew(), std::logic_error);
  }
  EXPECT_EQ(world.cache.marks_of("ghost"), 0U);
  EXPECT_EQ(world.guard.get("ghost"), "risen");
  EXPECT_EQ(world.cache.row("ghost"), "risen");
}

TEST(CacheGuardLeases, WhatCannotBeAnnouncedIsNotInserted) {
  Leased world;
  world.cache.announcing_throws = true;
  EXPECT_THROW((void)world.guard.will_insert("ghost"), std::runtime_error);
  EXPECT_EQ(world.guard.counters().cache_errors, 1U);
  EXPECT_TRUE(world.guard.wait_for_inserts()) << "no token lives";
}

// Rows that nobody announces: "no such row" is neither taken from the cache nor written there, and
// keeps nobody else waiting.
TEST(CacheGuardLeases, BehindAFenceNoNegativeEntryIsAnAnswer) {
  const Identity source = Identity::random();
  Leased world({.mode = GuardMode::strict, .fence = [&](const CallContext&) {
                  return Fence{.at_least = {.source = source, .position = 1}};
                }});
  world.cache.put_elsewhere("alice", std::nullopt);
  EXPECT_EQ(world.guard.get("alice"), "alice");
  EXPECT_EQ(world.cache.row("alice"), "") << "nobody has a lease to write it";
  EXPECT_EQ(world.guard.get("bob"), "bob");
  EXPECT_EQ(world.cache.row("bob"), "bob");
  EXPECT_EQ(world.guard.get("ghost"), std::nullopt);
  EXPECT_EQ(world.cache.row("ghost"), "-");
  EXPECT_FALSE(world.cache.has_lease("ghost"));
}

}  // namespace
}  // namespace bloomery
