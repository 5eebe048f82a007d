// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "followed.h"
#include "followed_by_a_thread.h"
#include "one_server.h"

namespace bloomery {
namespace {

constexpr int kWriters = 3;

TEST_F(MariadbTest, NoRowIsAbsentBehindTheFenceThatAnybodyCanSee) {
  run("CREATE TABLE users (id INT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(50))");
  expect_no_row_absent_behind_the_fence(the_server().location("users", "name"),
                                        [] { return the_server().connect("root", "shop"); });
}

// Each file of the log has a few commits, and each of these begins the next one.
TEST_F(MariadbTest, NoRowIsMissedByWhoBeginsWhileTheLogGoesFromFileToFile) {
  run("CREATE TABLE users (id INT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(50), more TEXT);"
      "SET GLOBAL max_binlog_size = 4096");
  const std::string location = the_server().location("users", "name");
  std::mutex mutex;
  std::vector<std::string> committed;
  {
    std::vector<std::jthread> writers;
    for (int writer = 0; writer < kWriters; ++writer) {
      writers.emplace_back([&, writer](const std::stop_token& stop) {
        auto session = the_server().connect("root", "shop");
        for (int i = 0; !stop.stop_requested(); ++i) {
          const std::string key = std::to_string(writer) + "-" + std::to_string(i);
          session.run("INSERT INTO users (name, more) VALUES ('" + key + "', REPEAT('x', 500))");
          const std::lock_guard lock(mutex);
          committed.push_back(key);
        }
      });
    }
    for (int begun = 0; begun < 5; ++begun) {
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
  }
  EXPECT_GT(committed.size(), 10U);
  run("SET GLOBAL max_binlog_size = 1073741824");
}

TEST_F(MariadbTest, WhoBeginsWhileTheLogIsPurgedBeginsAgain) {
  run("CREATE TABLE users (id INT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(50))");
  expect_all_rows_of_who_begins_while_the_log_is_purged(
      the_server().location("users", "name"), [] { return the_server().connect("root", "shop"); },
      "SHOW MASTER STATUS");
}

}  // namespace
}  // namespace bloomery
