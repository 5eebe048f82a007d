// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bloomery/filter/filter_kinds.h"
#include "bloomery/follow/follower.h"
#include "bloomery/source/open_changes.h"
#include "tests/source/sqlite_fixture.h"

namespace bloomery {

inline AnyFilter blocked(const FilterOptions& options) {
  return make_filter(FilterKind::blocked, options);
}

// A thread that follows until it is stopped.
class Following {
 public:
  explicit Following(Follower& follower)
      : follower_(follower), thread_([this](std::stop_token stop) { follower_.run(stop); }) {}

  void wait_until(const std::function<bool(const FollowerStatus&)>& holds) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!holds(follower_.status())) {
      ASSERT_LT(std::chrono::steady_clock::now(), until)
          << state_name(follower_.status().state) << ", " << follower_.status().rebuilds
          << " scans, " << follower_.status().failures
          << " failures: " << follower_.status().last_error;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  void wait_until_followed() {
    wait_until([](const FollowerStatus& now) { return now.fresh_as_of.has_value(); });
  }
  void wait_for(const Watermark& fence) {
    wait_until(
        [&](const FollowerStatus& now) { return now.watermark && now.watermark->reaches(fence); });
  }

 private:
  Follower& follower_;
  std::jthread thread_;
};

class FollowerTest : public SqliteTest {
 protected:
  void SetUp() override {
    make("PRAGMA journal_mode = wal; CREATE TABLE users(id TEXT PRIMARY KEY)");
    writer_.run("PRAGMA busy_timeout = 10000; PRAGMA synchronous = OFF");
  }
  std::string location() const { return "sqlite:" + path_ + "?table=users&column=id"; }
  std::unique_ptr<ChangeSource> source(const std::string& slot = "") {
    ChangeOptions options;
    options.slot = slot;
    return open_change_source(location(), options);
  }

  void insert(const std::string& prefix, int count) {
    writer_.run("WITH n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < " +
                std::to_string(count) + ") INSERT INTO users SELECT '" + prefix + "' || i FROM n");
  }
  Watermark fence() { return fence_ ? fence_->ask() : open_fence_and_ask(); }
  Watermark open_fence_and_ask() {
    fence_ = open_fence(location());
    return fence_->ask();
  }

  static std::vector<Presence> ask(FilterPlace& place, const std::string& prefix, int count,
                                   const Watermark& reached) {
    std::vector<std::string> texts;
    for (int i = 0; i < count; ++i) texts.push_back(prefix + std::to_string(i));
    const std::vector<Key> keys(texts.begin(), texts.end());
    std::vector<Presence> answers(keys.size(), Presence::unknown);
    const Fence behind{reached};
    place.presence_of_many(keys, answers, {.fence = &behind});
    return answers;
  }
  // Behind a fence: rows are there, others are absent.
  static void expect_in(FilterPlace& place, const std::string& prefix, int count,
                        const Watermark& reached) {
    const auto answers = ask(place, prefix, count, reached);
    EXPECT_EQ(std::ranges::count(answers, Presence::maybe), count) << prefix;
    const auto others = ask(place, "no such row ", 1000, reached);
    EXPECT_GT(std::ranges::count(others, Presence::absent), 950);
  }

  WritableDatabase writer_{path_};
  std::unique_ptr<FenceSource> fence_;
};

}  // namespace bloomery
