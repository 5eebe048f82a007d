// SPDX-License-Identifier: Apache-2.0
// What happens to a follower, to its database and to the server of its filter.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "bloomery/open/open_place.h"
#include "bloomery/source/open_changes.h"
#include "tests/follow/guarded_scene.h"

namespace bloomery {
namespace {

class FollowProof : public GuardedScene {
 protected:
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
      const auto reached = watermark_there();
      if (reached && reached->reaches(last)) break;
      ASSERT_LT(Clock::now(), committed + std::chrono::minutes(2)) << "is never carried";
      std::this_thread::sleep_for(milliseconds(10));
    }
    const auto rate = [&](Clock::time_point end) {
      return row_count / std::chrono::duration<double>(end - began).count();
    };
    printf("%s: %d rows at once: %.0f committed a second, %.0f carried\n", GetParam().c_str(),
           row_count, rate(committed), rate(Clock::now()));
    auto place = open_place(bitmap());
    const Fence behind{last};
    for (int i = 1; i <= row_count;) {
      const Presence said =
          place->presence_of(Key("bulk " + std::to_string(i)), {.fence = &behind});
      ASSERT_NE(said, Presence::absent);
      if (said == Presence::maybe) {
        i += 997;
      } else {  // so many rows made the follower build a larger filter
        place = open_place(bitmap());
      }
    }
  }

  std::optional<Watermark> watermark_there() const {
    try {
      return open_place(bitmap())->head().watermark;
    } catch (const StoreError&) {  // it was exchanged in between
      return std::nullopt;
    }
  }

  // Makes a trouble, each in its turn: of the filter's server, of the follower and of the database.
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

  // Evicts all keys, as a cache's server does when it has no room left.
  void evict_all() {
    server_.ask("CONFIG SET maxmemory-policy allkeys-random");
    server_.ask("CONFIG SET maxmemory 1");
    server_.ask("SET other 1");
    server_.ask("CONFIG SET maxmemory 0");
    server_.ask("CONFIG SET maxmemory-policy noeviction");
    EXPECT_EQ(server_.ask("INFO stats").find("evicted_keys:0"), std::string::npos);
  }

  static constexpr milliseconds kRebuildEvery{400};
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
  // A single question may have no luck.
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
  fewest_absent_ = 1;
  const Tally calm = run_writers(scene_time(1000), guarded, {});
  fewest_absent_ = 0;
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
                         ::testing::Values("sqlite_wal", "sqlite_delete", "postgres", "mariadb",
                                           "mysql"),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace bloomery
