// SPDX-License-Identifier: Apache-2.0
// A guard before rows that nobody announces to it.

#include <gtest/gtest.h>

#include <latch>

#include "bloomery/filter/filter_kinds.h"
#include "bloomery/place/coalesced_fence.h"
#include "bloomery/place/memory_place.h"
#include "tests/guard/fakes.h"
#include "tests/guard/followed.h"

namespace bloomery {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// A filter that mistakes everything: whatever is asked for goes on to cache and database.
GuardOptions strict_options() {
  return {.mode = GuardMode::strict,
          .fence =
              [](const CallContext&) {
                return Fence{.at_least = {{7, 7}, 1}};
              },
          .audit_every = 0,
          .jitter_seed = 1};
}

TEST(GuardOfFollowedRows, TakesNoNegativeEntryAndWritesNone) {
  World world(strict_options());
  world.filter.mistake("bob");
  world.cache.put_negative("bob", std::chrono::minutes(1));
  EXPECT_EQ(world.guard.get("bob"), std::nullopt);
  world.database.write("bob", "2");  // by somebody else, in the database's shell
  EXPECT_EQ(world.guard.get("bob"), "2");
  world.filter.mistake("carol");
  const std::vector<Key> keys{"carol", "alice"};
  EXPECT_EQ(world.guard.get_many(keys)[0], std::nullopt);
  EXPECT_EQ(world.cache.state_of("carol"), Cached::miss);
  EXPECT_EQ(world.cache.state_of("alice"), Cached::hit);
  EXPECT_EQ(world.guard.counters().negative_hits, 0U);
}

TEST(GuardOfFollowedRows, NobodySharesANoThatWasReadBeforeHeCame) {
  World world(strict_options());
  world.filter.mistake("bob");
  std::latch read(1);
  std::latch go(1);
  std::atomic<bool> is_first = true;
  world.database.after_read = [&] {
    if (!is_first.exchange(false)) return;
    read.count_down();
    go.wait();
  };
  std::optional<std::string> before;
  std::optional<std::string> after;
  std::thread first([&] { before = world.guard.get("bob"); });
  read.wait();
  world.database.write("bob", "2");
  std::thread second([&] { after = world.guard.get("bob"); });
  // The second request boards the flight, or comes when that has landed: both must find the row.
  std::this_thread::sleep_for(milliseconds(5));
  go.count_down();
  first.join();
  second.join();
  EXPECT_EQ(before, std::nullopt);
  EXPECT_EQ(after, "2");
  EXPECT_EQ(world.database.queries_for("bob"), 2);
}

TEST(GuardOfFollowedRows, ManyWhoAskForAMistakeOfTheFilterShareTheNextQuery) {
  World world(strict_options());
  world.filter.mistake("bob");
  world.database.before_read = [] { std::this_thread::sleep_for(milliseconds(5)); };
  std::vector<std::thread> threads;
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 5; ++n) EXPECT_EQ(world.guard.get("bob"), std::nullopt);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LT(world.database.queries_for("bob"), 80);
  EXPECT_EQ(world.guard.counters().requests(), 80U);
}

TEST(GuardOfFollowedRows, NeedsAFenceAndNoReplica) {
  GuardOptions options = strict_options();
  options.reads_replica = true;
  EXPECT_THROW(World{options}, std::invalid_argument);
  options = strict_options();
  options.fence = nullptr;
  EXPECT_THROW(World{options}, std::invalid_argument);
  options.mode = GuardMode::budget;
  EXPECT_THROW(World{options}, std::invalid_argument);
  options = strict_options();
  options.budget = milliseconds(0);
  EXPECT_THROW(World{options}, std::invalid_argument);
}

const FilterOptions kRows{.capacity = 100'000, .false_positive_rate = 0.001};

struct FollowedGuard {
  explicit FollowedGuard(GuardMode mode)
      : filter(make_filter(FilterKind::blocked, kRows)),
        fence([this] { return database.fence_source(); }),
        follower(database, filter,
                 {.lag = milliseconds(5),
                  .rebuild_every = milliseconds(50),
                  .rebuilt = kRows,
                  .before_the_watermark = [this](auto keys) { cache.erase_many(keys); }}),
        guard(filter, cache, [this](std::span<const Key> keys) { return database.load(keys); },
              {.mode = mode,
               .fence = [this](const CallContext& context) { return fence.ask(context); },
               .fence_wait = std::chrono::seconds(2),
               .audit_every = 100}) {
    filter.ready();
  }

  FollowedDatabase database;
  MemoryPlace<AnyFilter> filter;
  MemoryCache<std::string> cache{{.capacity = 1'000}};
  CoalescedFence fence;
  PlayedFollower follower;
  CacheGuard<std::string> guard;
};

// Each thread commits past the guard and asks it for the row; returns how many it denied.
int denied_of(FollowedGuard& world, milliseconds time) {
  const auto until = steady_clock::now() + time;
  std::atomic<int> denied = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 3; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; steady_clock::now() < until; ++i) {
        const std::string key = std::to_string(thread) + "/" + std::to_string(i);
        static_cast<void>(world.guard.get(key));
        world.database.commit(key, key);
        denied += world.guard.get(key) == key ? 0 : 1;
        const std::vector<Key> keys{key, "never"};
        denied += world.guard.get_many(keys)[0] == key ? 0 : 1;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return denied;
}

TEST(GuardOfFollowedRows, StrictlyNoRowIsDeniedThatWasCommitted) {
  FollowedGuard world(GuardMode::strict);
  EXPECT_EQ(denied_of(world, milliseconds(300)), 0);
  EXPECT_EQ(world.guard.counters().false_absents, 0U);
  EXPECT_GT(world.guard.counters().fenced, 0U);
  EXPECT_GT(world.guard.counters().filter_absents, 0U);
  EXPECT_GT(world.guard.fence_waits()->count(), 0U);
}

TEST(GuardOfFollowedRows, ThatAreTakenForAnnouncedAreDenied) {
  FollowedGuard world(GuardMode::announced);
  EXPECT_GT(denied_of(world, milliseconds(50)), 0);
}

// Whoever sees the watermark must find nothing in the cache from before the rows below it.
TEST(GuardOfFollowedRows, EntriesAreErasedBeforeTheWatermarkMovesNotAfter) {
  MemoryCache<std::string> cache({.capacity = 10});
  const Key key = "bob";
  const auto ask = [&] {
    CacheAnswer<std::string> answer;
    cache.get_many({&key, 1}, {&answer, 1});
    return answer;
  };
  const CacheAnswer<std::string> before = ask();
  CacheEntry<std::string> entry{
      .key = key, .value = nullptr, .ttl = std::chrono::minutes(1), .ticket = before.ticket};
  // A reader found no row, which is committed now; he is about to write "no such row".
  MemoryPlace<AnyFilter> filter(make_filter(FilterKind::blocked, kRows));
  filter.ready();
  PlaceHead head = filter.head();
  const Watermark after{FollowedDatabase::kSource, 1};

  // In the right order: the entry is refused, whenever it comes.
  cache.erase_many({&key, 1});
  ASSERT_TRUE(filter.insert_and_advance({&key, 1}, head, after));
  cache.put_many({&entry, 1});
  EXPECT_EQ(ask().state, Cached::miss);

  // In the other one, a reader who comes between the two steps believes it.
  entry.ticket = ask().ticket;
  ASSERT_TRUE(filter.insert_and_advance({&key, 1}, head, {FollowedDatabase::kSource, 2}));
  cache.put_many({&entry, 1});
  EXPECT_EQ(ask().state, Cached::negative);
}

}  // namespace
}  // namespace bloomery
