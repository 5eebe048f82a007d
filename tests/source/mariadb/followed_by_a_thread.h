// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "bloomery/source/open_changes.h"
#include "followed.h"
#include "tests/support/mariadb_client.h"

namespace bloomery {

// A set in place of a filter, that a thread keeps in step.
class FollowedByAThread {
 public:
  explicit FollowedByAThread(const std::string& location) : followed_(location) {
    followed_.begin();
    thread_ = std::jthread([this](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        followed_.source().poll(
            [this](const Changes& changes) {
              const std::lock_guard lock(mutex_);
              keys_.insert(changes.keys.begin(), changes.keys.end());
              if (changes.watermark) watermark_ = changes.watermark;
            },
            std::chrono::milliseconds(10));
      }
    });
  }

  bool holds_now(const std::string& key) {
    const std::lock_guard lock(mutex_);
    return keys_.contains(key);
  }
  // Behind the fence, once it is reached.
  bool holds(const std::string& key, const Watermark& fence) {
    while (true) {
      {
        const std::lock_guard lock(mutex_);
        if (watermark_ && watermark_->reaches(fence)) return keys_.contains(key);
      }
      std::this_thread::yield();
    }
  }

 private:
  Followed followed_;
  std::mutex mutex_;
  std::set<std::string, std::less<>> keys_;
  std::optional<Watermark> watermark_;
  std::jthread thread_;
};

// Writers insert into users(id, name) of a location, and ask for each row as soon as anybody sees
// it.
inline void expect_no_row_absent_behind_the_fence(
    const std::string& location, const std::function<testing::MariadbClient()>& connect) {
  constexpr int kWriters = 3;
  constexpr int kRowsOfWriter = 150;
  FollowedByAThread filter(location);
  std::atomic<int> false_absents = 0;
  std::atomic<int> absents_without_fence = 0;
  std::atomic<int> running = kWriters;
  std::atomic<int> seen_of_others = 0;
  {
    std::vector<std::jthread> threads;
    for (int writer = 0; writer < kWriters; ++writer) {
      threads.emplace_back([&, writer] {
        auto session = connect();
        const auto fence = open_fence(location);
        for (int i = 0; i < kRowsOfWriter; ++i) {
          const std::string key = std::to_string(writer) + "-" + std::to_string(i);
          session.run("INSERT INTO users (name) VALUES ('" + key + "')");
          if (!filter.holds_now(key)) ++absents_without_fence;
          if (!filter.holds(key, fence->ask())) ++false_absents;
        }
        --running;
      });
    }
    // Rows may be seen before their writer is told that they are committed.
    threads.emplace_back([&] {
      auto session = connect();
      const auto fence = open_fence(location);
      while (running > 0) {
        const std::string key = session.ask("SELECT name FROM users ORDER BY id DESC LIMIT 1");
        if (key.empty()) continue;
        ++seen_of_others;
        if (!filter.holds(key, fence->ask())) ++false_absents;
      }
    });
  }
  EXPECT_EQ(false_absents, 0);
  EXPECT_GT(absents_without_fence, 0) << "the control: following alone is not enough";
  EXPECT_GT(seen_of_others, 0);
}

// Begins to follow users(id, name, more) `times` times while writers insert into it, and expects
// all rows that were committed. `more_bytes`: the length of `more`.
inline void expect_all_rows_of_who_begins(const std::string& location,
                                          const std::function<testing::MariadbClient()>& connect,
                                          int writer_count, int more_bytes, int times) {
  std::mutex mutex;
  std::vector<std::string> committed;
  std::vector<std::jthread> writers;
  for (int writer = 0; writer < writer_count; ++writer) {
    writers.emplace_back([&, writer](const std::stop_token& stop) {
      auto session = connect();
      for (int i = 0; !stop.stop_requested(); ++i) {
        const std::string key = std::to_string(writer) + "-" + std::to_string(i);
        session.run("INSERT INTO users (name, more) VALUES ('" + key + "', REPEAT('x', " +
                    std::to_string(more_bytes) + "))");
        const std::lock_guard lock(mutex);
        committed.push_back(key);
      }
    });
  }
  for (int begun = 0; begun < times; ++begun) {
    Followed followed(location);
    followed.begin();
    followed.scan_again();
    followed.catch_up();
    std::vector<std::string> all;
    {
      const std::lock_guard lock(mutex);
      all = committed;
    }
    followed.catch_up();
    for (const std::string& key : all) ASSERT_TRUE(followed.has(key)) << key;
  }
  writers.clear();
  EXPECT_GT(committed.size(), 10U);
}

// Expects all rows of followers that begin while each file of the log has a few commits, and each
// of these begins the next file.
inline void expect_all_rows_of_who_begins_while_the_log_goes_from_file_to_file(
    const std::string& location, const std::function<testing::MariadbClient()>& connect) {
  connect().run("SET GLOBAL max_binlog_size = 4096");
  expect_all_rows_of_who_begins(location, connect, 3, 500, 5);
  connect().run("SET GLOBAL max_binlog_size = 1073741824");
}

// Expects all rows of followers that begin while each file of the log is purged as soon as it may
// be. `status`: the statement that tells the log's last file.
inline void expect_all_rows_of_who_begins_while_the_log_is_purged(
    const std::string& location, const std::function<testing::MariadbClient()>& connect,
    const std::string& status) {
  std::jthread purger([&](const std::stop_token& stop) {
    auto session = connect();
    while (!stop.stop_requested()) {
      session.run("FLUSH BINARY LOGS");
      session.run("PURGE BINARY LOGS TO '" + session.ask(status) + "'");
    }
  });
  expect_all_rows_of_who_begins(location, connect, 1, 0, 8);
}

}  // namespace bloomery
