// What happens to a follower, to its database and to the server of its filter.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "bloomery/guard/cache_guard.h"
#include "bloomery/guard/coalesced_fence.h"
#include "bloomery/guard/memory_cache.h"
#include "bloomery/place/open_place.h"
#include "bloomery/source/open_changes.h"
#include "tests/follow/follow_scene.h"
#include "tests/support/redis_server.h"

namespace bloomery {
namespace {

class FollowProof : public FollowScene {
 protected:
  PlaceLocation bitmap() const override {
    return parse_place_location("bitmap:redis+unix://" + server_.socket() + "#users");
  }

  // Commits rows past a guard, and asks it for those that were committed longer ago than its
  // budget.
  std::function<Tally()> writer_past_a_guard(int who, milliseconds time) const {
    return [=, this] {
      std::unique_ptr<testing::ProvenSession> session;
      std::unique_ptr<testing::ProvenSession> loading;
      const auto load = [&](std::span<const Key> keys, const CallContext&) {
        std::vector<std::optional<std::string>> rows;
        try {
          if (!loading) loading = database_->connect();
          for (const Key key : keys) {
            const std::string id(key);
            rows.push_back(loading->has(id) ? std::optional(id) : std::nullopt);
          }
        } catch (const std::runtime_error&) {  // the database is away
          loading.reset();
          throw;
        }
        return rows;
      };
      const auto place = open_place(bitmap());
      CoalescedFence fence([&] { return open_fence(database_->location(), options()); });
      MemoryCache<> cache({.capacity = 1'000});
      CacheGuard<> guard(*place, cache, load,
                         {.mode = GuardMode::budget,
                          .fence = [&](const CallContext& context) { return fence.ask(context); },
                          .budget = kBudget,
                          .audit_every = 0});
      struct Row {
        std::string key;
        Clock::time_point committed;
      };
      std::deque<Row> young;
      Tally tally;
      const auto began = Clock::now();
      const auto until = began + time;
      const auto is_over = [&] {
        return Clock::now() >= until &&
               (tally.asked >= kFewest || Clock::now() >= until + std::chrono::seconds(20));
      };
      for (int i = 0; !is_over(); ++i) {
        const std::string key =
            std::to_string(who) + " " + std::to_string(getpid()) + " " + std::to_string(i);
        try {
          if (!session) session = database_->connect();
          session->run("INSERT INTO users(id) VALUES ('" + key + "')");
          young.push_back({key, Clock::now()});
          while (!young.empty() && Clock::now() - young.front().committed > kBudget) {
            const std::string old = young.front().key;
            young.pop_front();
            ++tally.asked;
            if (!guard.get(Key(old)) && session->has(old)) ++tally.false_absent;
          }
          const auto denied = guard.counters().filter_absents;
          guard.get(Key("no " + key));
          if (Clock::now() < began + 2 * kBudget) continue;  // it has no fence yet that is so old
          ++tally.others;
          tally.others_absent += guard.counters().filter_absents - denied;
        } catch (const std::runtime_error&) {
          session.reset();
          std::this_thread::sleep_for(milliseconds(5));
        }
      }
      tally.unknown = guard.counters().unknowns;
      return tally;
    };
  }

  // How fast rows that come at once are committed, and carried.
  void measure_bulk_load() {
    const int row_count = is_long() ? 1'000'000 : 100'000;
    const auto session = database_->connect();
    const auto fence = open_fence(database_->location(), options());
    const auto began = Clock::now();
    session->run(database_->bulk(row_count));
    const auto committed = Clock::now();
    Watermark last;
    while (true) {
      last = fence->ask();  // after so many changes SQLite is scanned, and its source another one
      const auto reached = open_place(bitmap())->head().watermark;
      if (reached && reached->reaches(last)) break;
      ASSERT_LT(Clock::now(), committed + std::chrono::minutes(2)) << "is never carried";
      std::this_thread::sleep_for(milliseconds(10));
    }
    const auto rate = [&](Clock::time_point end) {
      return row_count / std::chrono::duration<double>(end - began).count();
    };
    printf("%s: %d rows at once: %.0f committed a second, %.0f carried\n", GetParam().c_str(),
           row_count, rate(committed), rate(Clock::now()));
    const auto place = open_place(bitmap());
    const Fence behind{last};
    for (int i = 1; i <= row_count; i += 997) {
      ASSERT_EQ(place->presence_of(Key("bulk " + std::to_string(i)), {.fence = &behind}),
                Presence::maybe);
    }
  }

  // One trouble after the other, of the filter's server, of the follower and of the database.
  void make_trouble(std::unique_ptr<Child>& following, int turn) {
    const auto troubles = database_->troubles();
    const int count = 7 + static_cast<int>(troubles.size());
    switch (turn % count) {
      case 0:
        following->kill_now();
        following = std::make_unique<Child>(follower(kRebuildEvery));
        return;
      case 1:
        server_.ask("COPY saved users REPLACE");
        return;
      case 2:
        server_.ask("COPY users saved REPLACE");
        return;
      case 3:
        evict_all();
        return;
      case 4:
        server_.ask("CONFIG SET maxmemory 1");
        std::this_thread::sleep_for(milliseconds(20));
        server_.ask("CONFIG SET maxmemory 0");
        return;
      case 5:
        server_.ask("FLUSHALL");
        return;
      case 6:
        database_->restart(/*is_crash=*/turn / count % 2 == 1);
        return;
      default:
        break;
    }
    const std::string& sql = troubles[static_cast<std::size_t>(turn % count - 7)];
    try {
      database_->connect()->run(sql);
    } catch (const std::runtime_error& error) {
      ADD_FAILURE() << error.what();
    }
  }

  // As a cache's server does that has no room left.
  void evict_all() {
    server_.ask("CONFIG SET maxmemory-policy allkeys-random");
    server_.ask("CONFIG SET maxmemory 1");
    server_.ask("SET other 1");
    server_.ask("CONFIG SET maxmemory 0");
    server_.ask("CONFIG SET maxmemory-policy noeviction");
    EXPECT_EQ(server_.ask("INFO stats").find("evicted_keys:0"), std::string::npos);
  }

  static constexpr milliseconds kRebuildEvery{400};
  static constexpr milliseconds kBudget{200};

  testing::RedisServer server_{folder_.path("")};
};

TEST_P(FollowProof, NoRowIsDeniedThatWasCommitted) {
  auto following = std::make_unique<Child>(follower(std::chrono::hours(1)));
  wait_until_followed();
  measure_bulk_load();
  const auto fenced = writers(true);
  const auto unfenced = writers(false);
  const Tally calm = run_writers(scene_time(200), fenced, {});
  EXPECT_GT(calm.asked, 5U);
  EXPECT_EQ(calm.false_absent, 0U);
  // But for one, who had no luck.
  EXPECT_GE(static_cast<double>(calm.others_absent + 1), 0.99 * static_cast<double>(calm.others));

  server_.ask("COPY users saved");
  following->kill_now();
  // Nobody follows: what was just committed is not in, and without a fence it is denied.
  const Tally control = run_writers(milliseconds(50), unfenced, {});
  EXPECT_GT(control.false_absent, 0U) << "of " << control.asked;

  following = std::make_unique<Child>(follower(kRebuildEvery));
  const milliseconds pause = std::min(milliseconds(700), scene_time(1000) / 10);
  int turn = 0;
  const Tally all = run_writers(scene_time(1000), fenced, [&] {
    std::this_thread::sleep_for(pause);
    make_trouble(following, turn++);
  });
  EXPECT_GT(turn, 2);
  EXPECT_GT(all.asked, 5U);
  EXPECT_EQ(all.false_absent, 0U);
}

TEST_P(FollowProof, AGuardWithABudgetDeniesNoRowThatIsOlder) {
  auto following = std::make_unique<Child>(follower(std::chrono::hours(1)));
  wait_until_followed();
  const auto guarded = [this](int who, milliseconds time) {
    return writer_past_a_guard(who, time);
  };
  const Tally calm = run_writers(scene_time(1000), guarded, {});
  EXPECT_GT(calm.asked, 5U);
  EXPECT_EQ(calm.false_absent, 0U);
  // All of them on a quiet machine; a follower that gets no processor for the budget is behind.
  EXPECT_GT(calm.others_absent, 0U);

  server_.ask("COPY users saved");
  const Tally alone = run_writers(milliseconds(1000), guarded, [&] {
    std::this_thread::sleep_for(milliseconds(400));
    following->kill_now();
  });
  EXPECT_GT(alone.asked, 5U);
  EXPECT_EQ(alone.false_absent, 0U) << "nobody follows any more";

  following = std::make_unique<Child>(follower(kRebuildEvery));
  int turn = 0;
  const Tally all = run_writers(scene_time(1000), guarded, [&] {
    std::this_thread::sleep_for(std::min(milliseconds(700), scene_time(1000) / 10));
    make_trouble(following, turn++);
  });
  EXPECT_GT(all.asked, 5U);
  EXPECT_EQ(all.false_absent, 0U);
}

INSTANTIATE_TEST_SUITE_P(Databases, FollowProof,
                         ::testing::Values("sqlite_wal", "sqlite_delete", "postgres", "mariadb"),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace bloomery
