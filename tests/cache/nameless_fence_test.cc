// SPDX-License-Identifier: Apache-2.0
// A fence that names no source, handed to a guard and to the caches that look at fences.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "bloomery/cache/redis_cache.h"
#include "bloomery/cache/redis_lookaside.h"
#include "bloomery/filter/blocked_filter.h"
#include "bloomery/guard/cache_guard.h"
#include "bloomery/guard/memory_cache.h"
#include "bloomery/place/memory_place.h"

namespace bloomery {
namespace {

// Nobody listens there: what is refused is refused before anything is asked.
const std::string kNowhere = "redis+unix:///nowhere/redis.sock#users";

const Fence kNamesNothing{.at_least = {.source = {}, .position = 1}};
const CallContext kBehind{.fence = &kNamesNothing};
const Key kBoth[] = {"in", "out"};

struct Asked {
  Asked() { place.ready(); }

  Loader<std::string> loader() {
    return [this](std::span<const Key> keys) {
      queries += static_cast<int>(keys.size());
      return std::vector<std::optional<std::string>>(keys.size());
    };
  }

  MemoryPlace<BlockedFilter> place{BlockedFilter({.capacity = 100})};
  MemoryCache<> cache{{.capacity = 100}};
  int queries = 0;
};

TEST(NamelessFenceOfAGuard, IsRefusedBeforeAnythingIsAsked) {
  Asked asked;
  for (const GuardMode mode : {GuardMode::announced, GuardMode::strict, GuardMode::budget}) {
    GuardOptions options{.mode = mode};
    options.fence = [](const CallContext&) { return Fence{.at_least = {{7, 7}, 1}}; };
    CacheGuard<> guard(asked.place, asked.cache, asked.loader(), options);
    EXPECT_THROW(guard.get("out", kBehind), std::invalid_argument);
    EXPECT_THROW(guard.get_many(kBoth, kBehind), std::invalid_argument);
    EXPECT_THROW(guard.get_many({}, kBehind), std::invalid_argument);
    EXPECT_EQ(guard.counters().requests(), 0U);
  }
  EXPECT_EQ(asked.queries, 0);
}

TEST(NamelessFenceOfAGuard, ThatTheDatabaseGivesIsAFailureAndTheDatabaseIsAsked) {
  Asked asked;
  CacheGuard<> guard(
      asked.place, asked.cache, asked.loader(),
      {.mode = GuardMode::strict, .fence = [](const CallContext&) { return Fence{}; }});
  EXPECT_EQ(guard.get("out"), std::nullopt);
  EXPECT_EQ(asked.queries, 1);
  EXPECT_EQ(guard.counters().fence_failures, 1U);
  EXPECT_EQ(guard.counters().filter_absents, 0U);
}

TEST(NamelessFenceOfAGuard, IsRefusedByTheCachesThatLookAtFences) {
  RedisCache<> rows(kNowhere);
  std::vector<CacheAnswer<std::string>> answers(2);
  EXPECT_THROW(rows.get_many(kBoth, answers, kBehind), std::invalid_argument);
  EXPECT_THROW(rows.get_many({}, {}, kBehind), std::invalid_argument);
  EXPECT_THROW(rows.claim_many(kBoth, answers, kBehind), std::invalid_argument);
  Asked asked;
  RedisLookaside<> both(asked.place, rows);
  std::vector<LookAsideAnswer<std::string>> said(2);
  EXPECT_THROW(both.look_many(kBoth, said, kBehind), std::invalid_argument);
  EXPECT_THROW(both.look("out", kBehind), std::invalid_argument);
}

}  // namespace
}  // namespace bloomery
