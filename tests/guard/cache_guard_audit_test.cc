// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <latch>
#include <optional>
#include <string>
#include <thread>

#include "tests/guard/fakes.h"

namespace bloomery {
namespace {

GuardOptions every_absent() {
  return {.audit_every = 1, .jitter_seed = 1};
}

TEST(CacheGuardAudit, AsksTheDatabaseForWhatIsAbsent) {
  World world(every_absent());
  EXPECT_EQ(world.guard.get("nobody"), std::nullopt);
  const std::array<Key, 3> keys{"nobody", "alice", "no one"};
  EXPECT_EQ(world.guard.get_many(keys)[1], "1");
  const GuardCounters counters = world.guard.counters();
  EXPECT_EQ(counters.audits, 3U);
  EXPECT_EQ(counters.filter_absents, 3U);
  EXPECT_EQ(counters.database_queries, 3U);
  EXPECT_EQ(counters.false_absents, 0U);
  EXPECT_EQ(counters.requests(), 4U);
}

TEST(CacheGuardAudit, ARowThatTheFilterDeniesOpensTheGuardUntilReady) {
  for (const bool in_a_batch : {false, true}) {
    World world(every_absent());
    world.filter.lose("alice");
    const std::array<Key, 2> keys{"nobody", "alice"};
    EXPECT_EQ(in_a_batch ? world.guard.get_many(keys)[1] : world.guard.get("alice"), "1");
    EXPECT_EQ(world.guard.counters().false_absents, 1U);
    EXPECT_TRUE(world.guard.is_in_doubt());

    world.add("bob", "2");
    world.filter.lose("bob");
    EXPECT_EQ(world.guard.get("bob"), "2") << "nothing is absent any more";
    EXPECT_EQ(world.guard.counters().unknowns, 1U);

    world.filter.insert("alice");
    world.filter.insert("bob");
    world.guard.ready();
    const auto audits = world.guard.counters().audits;
    EXPECT_EQ(world.guard.get("no one"), std::nullopt);
    EXPECT_EQ(world.guard.counters().audits, audits + 1);
    EXPECT_FALSE(world.guard.is_in_doubt());
  }
}

TEST(CacheGuardAudit, AnInsertBetweenTheFilterAndTheDatabaseIsNoFault) {
  World world(every_absent());
  std::optional<InsertToken> token;
  world.database.before_read = [&] {
    world.database.before_read = nullptr;
    token.emplace(world.guard.will_insert("bob"));
    world.database.write("bob", "2");
  };
  EXPECT_EQ(world.guard.get("bob"), "2");
  token.reset();
  world.guard.get("nobody");
  EXPECT_EQ(world.guard.counters().false_absents, 0U);
  EXPECT_FALSE(world.guard.is_in_doubt());
}

TEST(CacheGuardAudit, ARowIsJudgedOnlyWhenItsTokenIsOver) {
  World world(every_absent());
  auto token = std::optional(world.guard.will_insert("bob"));
  world.database.write("bob", "2");
  world.filter.lose("bob");
  EXPECT_EQ(world.guard.get("bob"), "2");
  EXPECT_EQ(world.guard.counters().false_absents, 0U);
  token.reset();
  world.guard.get("nobody");
  EXPECT_EQ(world.guard.counters().false_absents, 1U);
  EXPECT_TRUE(world.guard.is_in_doubt());
}

TEST(CacheGuardAudit, ARowIsJudgedOnlyWhenTheFilterReachesAFenceFromAfterTheQuery) {
  GuardOptions options = every_absent();
  int asked = 0;
  options.fence = [&](const CallContext&) {
    ++asked;
    return Fence{.at_least = {{7, 7}, 1}};
  };
  World world(options);
  world.filter.lose("alice");
  world.filter.reaches_fences = false;
  EXPECT_EQ(world.guard.get("alice"), "1");
  EXPECT_EQ(asked, 1);
  world.guard.get("nobody");
  EXPECT_EQ(world.guard.counters().false_absents, 0U);

  world.filter.reaches_fences = true;
  world.guard.get("nobody");
  EXPECT_EQ(world.guard.counters().false_absents, 1U);
}

// Leaves the filter as a rebuild does that commits after the scan, when the row was deleted before.
void remove_before_the_scan(World& world, Key key) {
  world.database.remove(key);
  world.filter.lose(key);
}

TEST(CacheGuardAudit, ARowDeletedWhileARebuildCommitsIsNoFault) {
  World world(every_absent());
  world.filter.lose("alice");
  world.database.after_read = [&] {
    world.database.after_read = nullptr;
    remove_before_the_scan(world, "alice");  // and `erased` is not called yet
  };
  EXPECT_EQ(world.guard.get("alice"), "1");
  world.guard.get("nobody");
  EXPECT_EQ(world.guard.counters().false_absents, 0U);
  EXPECT_FALSE(world.guard.is_in_doubt());
}

TEST(CacheGuardAudit, ErasedForgetsTheSuspectsOfItsKeys) {
  for (const bool while_asked : {false, true}) {
    World world(every_absent());
    world.filter.lose("alice");
    // A loader whose replica has not heard of the deletion.
    const auto erase = [&] {
      world.database.after_read = nullptr;
      world.guard.erased("alice");
    };
    auto token = std::optional(world.guard.will_insert("alice"));
    world.filter.lose("alice");
    if (while_asked) world.database.after_read = erase;
    EXPECT_EQ(world.guard.get("alice"), "1") << "kept open by the token";
    if (!while_asked) erase();
    token.reset();
    world.guard.get("nobody");
    EXPECT_EQ(world.guard.counters().false_absents, 0U) << while_asked;
  }
}

TEST(CacheGuardAudit, ARowThatCameBackWhileItIsJudgedIsNoFault) {
  World world(every_absent());
  world.filter.lose("alice");
  int reads = 0;
  world.database.before_read = [&] {
    if (++reads != 2) return;  // the first found it, and the filter said no again
    remove_before_the_scan(world, "alice");
    const auto token = world.guard.will_insert("alice");
    world.database.write("alice", "2");
  };
  EXPECT_EQ(world.guard.get("alice"), "1");
  EXPECT_EQ(reads, 2);
  EXPECT_EQ(world.guard.counters().false_absents, 0U);
}

TEST(CacheGuardAudit, IsLeftOutWhereTheDatabaseHasNoRoomOrFails) {
  GuardOptions options = every_absent();
  options.queries_at_once = 1;
  World world(options);
  world.database.after_read = [] { throw std::runtime_error("no connection"); };
  EXPECT_EQ(world.guard.get("nobody"), std::nullopt);
  EXPECT_EQ(world.guard.counters().audits, 0U);

  std::latch reading(1);
  std::latch go_on(1);
  world.database.after_read = [&] {
    reading.count_down();
    go_on.wait();
  };
  std::thread holder([&] { EXPECT_EQ(world.guard.get("alice"), "1"); });
  reading.wait();
  EXPECT_EQ(world.guard.get("nobody"), std::nullopt);
  EXPECT_EQ(world.guard.counters().audits, 0U);
  go_on.count_down();
  holder.join();
}

TEST(CacheGuardAudit, IsOneInSoMany) {
  World world({.audit_every = 50, .jitter_seed = 1});
  for (int i = 0; i < 20'000; ++i) world.guard.get(std::to_string(i));
  const auto audits = world.guard.counters().audits;
  EXPECT_GT(audits, 300U);  // 400 are expected, 20 the deviation
  EXPECT_LT(audits, 500U);
  EXPECT_EQ(world.guard.counters().filter_absents, 20'000U);
}

}  // namespace
}  // namespace bloomery
