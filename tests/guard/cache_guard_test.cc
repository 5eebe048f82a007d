// SPDX-License-Identifier: Apache-2.0
#include "bloomery/guard/cache_guard.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>

#include "tests/guard/fakes.h"

namespace bloomery {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(CacheGuard, AnAbsentKeyReachesNeitherCacheNorDatabase) {
  World world;
  EXPECT_EQ(world.guard.get("mallory"), std::nullopt);
  EXPECT_EQ(world.cache.batches, 0);
  EXPECT_EQ(world.database.queries(), 0);
  EXPECT_EQ(world.guard.counters().filter_absents, 1U);
}

TEST(CacheGuard, ARowIsLoadedOnceAndThenCached) {
  World world;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(world.guard.get("alice"), "1");
  EXPECT_EQ(world.database.queries(), 1);
  const GuardCounters counters = world.guard.counters();
  EXPECT_EQ(counters.found, 1U);
  EXPECT_EQ(counters.cache_hits, 2U);
  EXPECT_EQ(counters.requests(), 3U);
}

TEST(CacheGuard, AFalsePositiveAsksTheDatabaseOnceUntilItsNegativeEntryExpires) {
  World world;
  world.filter.mistake("bob");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(world.guard.get("bob"), std::nullopt);
  EXPECT_EQ(world.database.queries(), 1);
  EXPECT_EQ(world.cache.state_of("bob"), Cached::negative);
  const GuardCounters counters = world.guard.counters();
  EXPECT_EQ(counters.not_found, 1U);
  EXPECT_EQ(counters.false_positives, 1U);
  EXPECT_EQ(counters.negative_hits, 2U);
  EXPECT_EQ(counters.requests(), 3U);
}

TEST(CacheGuard, AnUnknownThatIsNotThereIsNoFalsePositive) {
  World world;
  world.filter.unknown = true;
  EXPECT_EQ(world.guard.get("bob"), std::nullopt);
  EXPECT_EQ(world.guard.counters().not_found, 1U);
  EXPECT_EQ(world.guard.counters().false_positives, 0U);
}

TEST(CacheGuard, AnEmptyValueIsAValue) {
  World world;
  world.add("empty", "");
  EXPECT_EQ(world.guard.get("empty"), "");
  EXPECT_EQ(world.guard.get("empty"), "");
  EXPECT_EQ(world.database.queries(), 1);
}

TEST(CacheGuard, AnyBytesAreAKey) {
  World world;
  const std::string binary("\0\xff\n", 3);
  world.add(binary, "binary");
  world.add("", "empty");
  EXPECT_EQ(world.guard.get(binary), "binary");
  EXPECT_EQ(world.guard.get(""), "empty");
}

TEST(CacheGuard, ValuesAndNegativeEntriesExpireAtTheirOwnJitteredTimes) {
  World world({.value_ttl = seconds(1'000),
               .negative_ttl = seconds(60),
               .audit_every = 0,
               .jitter_seed = 1});
  std::set<milliseconds> drawn;
  for (int i = 0; i < 50; ++i) {
    const std::string there = "row " + std::to_string(i);
    world.add(there, "x");
    world.guard.get(there);
    EXPECT_GE(world.cache.last_ttl.load(), seconds(900));
    EXPECT_LE(world.cache.last_ttl.load(), seconds(1'100));
    drawn.insert(world.cache.last_ttl);

    const std::string not_there = "no row " + std::to_string(i);
    world.filter.mistake(not_there);
    world.guard.get(not_there);
    EXPECT_GE(world.cache.last_ttl.load(), seconds(54));
    EXPECT_LE(world.cache.last_ttl.load(), seconds(66));
    drawn.insert(world.cache.last_ttl);
  }
  EXPECT_GT(drawn.size(), 90U);
}

TEST(CacheGuard, WorksOverAnyTypeOfValue) {
  FakeFilter filter;
  filter.insert("seven");
  MemoryCache<int> cache({.capacity = 10});
  CacheGuard<int> guard(filter, cache, [](std::span<const Key> keys) {
    return std::vector<std::optional<int>>(keys.size(), 7);
  });
  EXPECT_EQ(guard.get("seven"), 7);
  EXPECT_EQ(guard.get("seven"), 7);
  EXPECT_EQ(guard.counters().cache_hits, 1U);
}

template <class Value>
concept HasGuard = requires {
  typename CacheGuard<Value>;
};
static_assert(HasGuard<std::string> && HasGuard<int>);
static_assert(!HasGuard<std::unique_ptr<int>>, "threads that share a query get a copy each");

TEST(CacheGuard, RefusesBadOptionsAndNoLoader) {
  FakeFilter filter;
  FakeCache cache;
  FakeDatabase database;
  using Guard = CacheGuard<std::string>;
  EXPECT_THROW(Guard(filter, cache, database.loader(), {.ttl_jitter = 2}), std::invalid_argument);
  EXPECT_THROW(Guard(filter, cache, nullptr), std::invalid_argument);
  using Rows = std::vector<std::optional<std::string>>;
  EXPECT_THROW(Guard(filter, cache, std::function<Rows(std::span<const Key>)>()),
               std::invalid_argument);
  EXPECT_THROW(Guard(filter, cache, static_cast<Rows (*)(std::span<const Key>)>(nullptr)),
               std::invalid_argument);
}

// A thread that missed the cache, and is overtaken by a whole flight before it boards.
TEST(CacheGuard, WhoWasOvertakenByAFlightFindsItsResult) {
  World world;
  world.filter.mistake("bob");
  for (const Key key : {Key("alice"), Key("bob")}) {
    world.cache.after_get = [&] {
      world.cache.after_get = nullptr;
      world.guard.get(key);
    };
    EXPECT_EQ(world.guard.get(key).has_value(), key == "alice");
    EXPECT_EQ(world.database.queries_for(key), 1);
  }
  EXPECT_EQ(world.guard.counters().cache_hits, 1U);
  EXPECT_EQ(world.guard.counters().negative_hits, 1U);
  EXPECT_EQ(world.guard.counters().requests(), 4U);
}

}  // namespace
}  // namespace bloomery
