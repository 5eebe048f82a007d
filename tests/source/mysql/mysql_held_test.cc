// SPDX-License-Identifier: Apache-2.0
// Commits that stand between log and engine, where nobody sees them yet, and logs that go from file
// to file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include "followed.h"
#include "followed_by_a_thread.h"
#include "tests/source/source_helpers.h"
#include "the_mysql.h"

namespace bloomery {
namespace {

// Runs for a user of all rights, and for one who may not ask what everybody sees.
class MysqlHeldTest : public MysqlTest, public ::testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    MysqlTest::SetUp();
    if (IsSkipped()) return;
    run("CREATE TABLE users (id INT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(50), more TEXT)");
    the_mysql().run(
        "CREATE USER IF NOT EXISTS lesser; GRANT SELECT ON shop.* TO lesser; "
        "GRANT REPLICATION CLIENT, REPLICATION SLAVE, XA_RECOVER_ADMIN ON *.* TO lesser");
    if (ask("SELECT COUNT(*) FROM information_schema.PLUGINS WHERE PLUGIN_NAME = "
            "'rpl_semi_sync_source'") == "0") {
      run("INSTALL PLUGIN rpl_semi_sync_source SONAME 'semisync_source.so'");
    }
  }
  void TearDown() override {
    if (testing::MysqlServer::is_there()) hold(false);
  }

  // Commits wait for a replica that there is not, behind the log and before the engine.
  static void hold(bool is_held) {
    if (ask("SELECT COUNT(*) FROM information_schema.PLUGINS WHERE PLUGIN_NAME = "
            "'rpl_semi_sync_source'") == "0") {
      return;
    }
    run("SET GLOBAL rpl_semi_sync_source_wait_point = 'AFTER_SYNC', "
        "GLOBAL rpl_semi_sync_source_wait_no_replica = ON, "
        "GLOBAL rpl_semi_sync_source_timeout = 600000, GLOBAL rpl_semi_sync_source_enabled = " +
        std::string(is_held ? "ON" : "OFF"));
  }
  static void wait_until_held() {
    while (ask("SELECT COUNT(*) FROM performance_schema.processlist WHERE STATE LIKE "
               "'Waiting for semi-sync%'") == "0") {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  static bool is_seen(const std::string& name) {
    return !ask("SELECT 1 FROM users WHERE name = '" + name + "'").empty();
  }
  static std::string location() {
    return "mysql://" + std::string(GetParam() ? "root" : "lesser") +
           "@/shop?table=users&column=name&socket=" + the_mysql().socket();
  }
};

TEST_P(MysqlHeldTest, WhoBeginsMeanwhileHasItsRow) {
  hold(true);
  std::jthread writer([] { run("INSERT INTO users (name) VALUES ('held')"); });
  wait_until_held();
  EXPECT_FALSE(is_seen("held"));
  Followed followed(location());
  std::atomic<bool> has_begun = false;
  std::jthread beginner([&] {
    EXPECT_FALSE(followed.source().start(std::nullopt));
    has_begun = true;
  });
  if (!GetParam()) {
    beginner.join();  // without a wait
    EXPECT_FALSE(is_seen("held"));
    followed.scan_again();
  }
  hold(false);
  writer.join();
  if (GetParam()) {
    beginner.join();
    followed.scan_again();
  }
  EXPECT_TRUE(has_begun);
  EXPECT_TRUE(is_seen("held"));
  followed.catch_up();
  EXPECT_TRUE(followed.has("held"));
}

TEST_P(MysqlHeldTest, TheFenceIsBehindARowBeforeAnybodySeesIt) {
  Followed followed(location());
  followed.begin();
  const Watermark before = followed.fence().ask();
  hold(true);
  std::jthread writer([] { run("INSERT INTO users (name) VALUES ('held')"); });
  wait_until_held();
  const Watermark held = followed.fence().ask();
  EXPECT_FALSE(is_seen("held"));
  EXPECT_FALSE(before.reaches(held));
  followed.catch_up();
  EXPECT_TRUE(followed.has("held"));
  hold(false);
  writer.join();
  EXPECT_EQ(followed.fence().ask(), held);
}

TEST_P(MysqlHeldTest, ASecondScanMeanwhileHasItsRow) {
  Followed followed(location());
  followed.begin();
  hold(true);
  std::jthread writer([] { run("INSERT INTO users (name) VALUES ('held')"); });
  wait_until_held();
  followed.catch_up();
  EXPECT_TRUE(followed.has("held"));
  // Into another filter.
  followed.keys().clear();
  std::jthread scanner([&] { followed.scan_again(); });
  if (!GetParam()) {
    scanner.join();  // without a wait
    EXPECT_FALSE(is_seen("held"));
  }
  hold(false);
  writer.join();
  if (GetParam()) scanner.join();
  EXPECT_TRUE(followed.has("held"));
}

// The server waits for none of these, but it calls them prepared until they are through.
TEST_P(MysqlHeldTest, NobodyBeginsWhileACommitInTwoPhasesIsHeld) {
  run("XA START 'x'; INSERT INTO users (name) VALUES ('in two phases'); XA END 'x'; "
      "XA PREPARE 'x'");
  run("FLUSH BINARY LOGS");
  hold(true);
  std::jthread writer([] { run("XA COMMIT 'x'"); });
  wait_until_held();
  EXPECT_FALSE(is_seen("in two phases"));
  EXPECT_THAT(message_of<std::invalid_argument>(
                  [] { open_change_source(location())->start(std::nullopt); }),
              ::testing::HasSubstr("XA RECOVER"));
  hold(false);
  writer.join();
  run("FLUSH BINARY LOGS");
  Followed followed(location());
  followed.begin();
  EXPECT_TRUE(followed.has("in two phases"));
}

TEST_P(MysqlHeldTest, ATableThatWasAnotherOneInTheSameFileIsFollowed) {
  run("FLUSH BINARY LOGS; INSERT INTO users (name) VALUES ('first');"
      "ALTER TABLE users DROP COLUMN more; ALTER TABLE users ADD COLUMN other BLOB FIRST;"
      "TRUNCATE users; INSERT INTO users (name) VALUES ('second')");
  Followed followed(location());
  followed.begin();
  run("INSERT INTO users (name) VALUES ('third')");
  followed.catch_up();
  EXPECT_TRUE(followed.has("second"));
  EXPECT_TRUE(followed.has("third"));
}

TEST_P(MysqlHeldTest, NoRowIsAbsentBehindTheFenceThatAnybodyCanSee) {
  expect_no_row_absent_behind_the_fence(location(),
                                        [] { return the_mysql().connect("root", "shop"); });
}

// Each file of the log has a few commits, and each of these begins the next one.
TEST_P(MysqlHeldTest, NoRowIsMissedByWhoBeginsWhileTheLogGoesFromFileToFile) {
  expect_all_rows_of_who_begins_while_the_log_goes_from_file_to_file(
      location(), [] { return the_mysql().connect("root", "shop"); });
}

TEST_P(MysqlHeldTest, WhoBeginsWhileTheLogIsPurgedBeginsAgain) {
  expect_all_rows_of_who_begins_while_the_log_is_purged(
      location(), [] { return the_mysql().connect("root", "shop"); }, "SHOW BINARY LOG STATUS");
}

INSTANTIATE_TEST_SUITE_P(Rights, MysqlHeldTest, ::testing::Bool(),
                         [](const auto& one) { return one.param ? "All" : "Fewer"; });

}  // namespace
}  // namespace bloomery
