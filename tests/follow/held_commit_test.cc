// SPDX-License-Identifier: Apache-2.0
// Filter and cache in step with a database whose commits wait for a standby.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "bloomery/filter/filter_kinds.h"
#include "bloomery/follow/follower.h"
#include "bloomery/guard/cache_guard.h"
#include "bloomery/guard/memory_cache.h"
#include "bloomery/place/memory_place.h"
#include "bloomery/source/open_changes.h"
#include "tests/follow/proven_database.h"

namespace bloomery {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

bool comes_to(const std::function<bool()>& holds) {
  for (const auto until = Clock::now() + 60s; Clock::now() < until;) {
    if (holds()) return true;
    std::this_thread::sleep_for(2ms);
  }
  return false;
}

class HeldCommit : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (database_ == nullptr) GTEST_SKIP() << testing::why_not_proven(GetParam());
  }

  std::unique_ptr<testing::ProvenDatabase> database_ = testing::make_proven(GetParam());
};

// A reader that asks the database meanwhile gets the old rows, again and again, and writes them.
TEST_P(HeldCommit, LeavesNothingOldInTheCacheOnceItIsSeen) {
  const auto session = database_->connect();
  session->run("INSERT INTO users(id) VALUES ('old')");
  const auto load = [&](std::span<const Key> keys, const CallContext&) {
    std::vector<std::optional<std::string>> rows;
    for (const Key key : keys) {
      const std::string id(key);
      rows.push_back(session->has(id) ? std::optional(id) : std::nullopt);
    }
    return rows;
  };
  MemoryPlace<> place(make_filter(FilterKind::blocked, {.capacity = 1000}));
  MemoryCache<> cache({.capacity = 1000});
  CacheGuard<> guard(place, cache, load, {.audit_every = 0});
  const ChangeOptions options{.tells_touched = true};
  const auto source = open_change_source(database_->location(), options);
  Follower follower(*source, place, {.entries = &cache, .erase_again_after = 20ms});
  const std::jthread following([&](std::stop_token stop) { follower.run(stop); });
  ASSERT_TRUE(comes_to([&] { return follower.status().fresh_as_of.has_value(); }));
  guard.ready();
  EXPECT_TRUE(guard.get("old"));

  const std::uint64_t carried = follower.status().carried;
  const auto writing = database_->connect();
  database_->hold_commits(true);
  {
    const std::jthread writer([&] {
      writing->run(
          "BEGIN; DELETE FROM users WHERE id = 'old'; "
          "INSERT INTO users(id) VALUES ('new'); COMMIT");
    });
    const bool has_come = comes_to([&] { return follower.status().carried > carried; });
    for (const auto until = Clock::now() + 500ms; Clock::now() < until;) {
      EXPECT_TRUE(guard.get("old"));
      EXPECT_FALSE(guard.get("new"));
      std::this_thread::sleep_for(2ms);
    }
    EXPECT_FALSE(session->has("new")) << "it is not held back";
    EXPECT_GT(guard.counters().cache_hits + guard.counters().negative_hits, 0U);
    database_->hold_commits(false);
    ASSERT_TRUE(has_come);
  }
  EXPECT_TRUE(session->has("new"));
  EXPECT_TRUE(comes_to([&] { return !guard.get("old") && guard.get("new"); }));
}

// The row came before the scan, and the scan does not see it.
TEST_P(HeldCommit, IsInTheFilterThatIsBuiltAgainMeanwhile) {
  const auto session = database_->connect();
  MemoryPlace<> place(make_filter(FilterKind::blocked, {.capacity = 1000}));
  const auto source = open_change_source(database_->location());
  Follower follower(*source, place, {});
  const std::jthread following([&](std::stop_token stop) { follower.run(stop); });
  ASSERT_TRUE(comes_to([&] { return follower.status().fresh_as_of.has_value(); }));

  const FollowerStatus before = follower.status();
  const auto writing = database_->connect();
  database_->hold_commits(true);
  {
    const std::jthread writer([&] { writing->run("INSERT INTO users(id) VALUES ('held')"); });
    const bool has_come = comes_to([&] { return follower.status().carried > before.carried; });
    follower.rebuild();
    const bool has_begun = comes_to([&] {
      return follower.status().state == FollowerStatus::State::scanning ||
             follower.status().rebuilds > before.rebuilds;
    });
    EXPECT_FALSE(session->has("held")) << "it is not held back";
    database_->hold_commits(false);
    ASSERT_TRUE(has_come && has_begun);
  }
  ASSERT_TRUE(comes_to([&] { return follower.status().rebuilds > before.rebuilds; }));
  const Fence now{open_fence(database_->location())->ask()};
  EXPECT_TRUE(comes_to([&] {
    const Presence other = place.presence_of("no such row", {.fence = &now});
    EXPECT_NE(place.presence_of("held", {.fence = &now}), Presence::absent);
    return other == Presence::absent;
  }));
}

INSTANTIATE_TEST_SUITE_P(Databases, HeldCommit, ::testing::Values("postgres", "mariadb", "mysql"),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace bloomery
