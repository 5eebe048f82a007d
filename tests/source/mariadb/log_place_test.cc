// SPDX-License-Identifier: Apache-2.0
// From where the log is read: by a follower that comes back, and for a scan.
#include "bloomery/source/mariadb/log_place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <utility>

#include "bloomery/errors.h"
#include "mariadb_changes_fixture.h"

namespace bloomery {
namespace {

// Numbers that are smaller than some that were there before, in a log that is in order again: by
// the sum of them, the filter would have what it has not.
TEST_F(MariadbChangesTest, NumbersThatWentBackWhileNobodyFollowedAreNotGoneOnWith) {
  run(kUsers);
  for (const char* const rotated : {"", "FLUSH BINARY LOGS;"}) {
    Followed followed(at());
    followed.begin();
    run("INSERT INTO users (name) VALUES (UUID()), (UUID())");
    followed.catch_up();
    const Watermark kept = *followed.watermark();
    followed.source().remove();
    run(std::string("SET GLOBAL gtid_strict_mode = OFF; SET gtid_seq_no = 6;"
                    "INSERT INTO users (name) VALUES (UUID());") +
        rotated + "SET GLOBAL gtid_strict_mode = ON");
    const Watermark back = followed.fence().ask();
    EXPECT_LT(back.position, kept.position) << "which a guard does not believe";
    run("INSERT INTO users (name) VALUES (UUID())");
    EXPECT_FALSE(kept.reaches(followed.fence().ask()));
    expect_not_gone_on_with(kept);
    run("FLUSH BINARY LOGS");
  }
}

TEST_F(MariadbChangesTest, ItGoesOnAcrossLogFilesAsLongAsTheyAreThere) {
  run(kUsers);
  Followed followed(at());
  followed.begin();
  run("INSERT INTO users (name) VALUES ('a'); FLUSH BINARY LOGS;"
      "INSERT INTO users (name) VALUES ('b'); FLUSH BINARY LOGS");
  ASSERT_TRUE(followed.go_on());
  followed.catch_up();
  EXPECT_TRUE(followed.has("a"));
  EXPECT_TRUE(followed.has("b"));

  const auto kept = followed.watermark();
  run("INSERT INTO users (name) VALUES ('c'); FLUSH BINARY LOGS");
  followed.catch_up();
  const auto last = followed.watermark();
  // The server keeps for a while what a reader has open, or a crash might need.
  followed = Followed(at());
  auto session = the_server().connect();
  const std::string current = session.ask("SHOW MASTER STATUS");
  for (int i = 0; i < 2000 && session.ask("SHOW BINARY LOGS") != current; ++i) {
    session.run("PURGE BINARY LOGS TO '" + current + "'");
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  ASSERT_EQ(session.ask("SHOW BINARY LOGS"), current);
  EXPECT_FALSE(followed.source().start(kept));
  EXPECT_TRUE(followed.source().start(last));
}

TEST_F(MariadbChangesTest, ALogThatBeginsAnewIsNotGoneOnWith) {
  run(kUsers);
  Followed followed(at());
  followed.begin();
  run("INSERT INTO users (name) VALUES ('a')");
  followed.catch_up();
  run("RESET MASTER; INSERT INTO users (name) VALUES ('b')");
  const Watermark anew = followed.fence().ask();
  EXPECT_FALSE(anew.source == followed.watermark()->source &&
               anew.position >= followed.watermark()->position)
      << "a guard does not believe a filter that is ahead";
  EXPECT_THAT(followed.why_it_stops(false), ::testing::Not(::testing::HasSubstr("does not stop")));
  EXPECT_FALSE(followed.go_on());
}

// A log that began anew has the same files and numbers, and rows of its own at each of them.
TEST_F(MariadbChangesTest, ALogThatBeganAnewAndGrewBeyondTheFilterIsNotGoneOnWith) {
  run(kUsers);
  run("RESET MASTER; INSERT INTO users (name) VALUES (UUID())");
  Followed followed(at());
  followed.begin();
  run("INSERT INTO users (name) VALUES (UUID()), (UUID()); INSERT INTO users (name) VALUES ('a')");
  followed.catch_up();
  const Watermark kept = *followed.watermark();
  auto session = the_server().connect("root", "shop");
  const auto begin_anew = [&] {
    session.run("RESET MASTER");
    for (int i = 0; i < 10; ++i) session.run("INSERT INTO users (name) VALUES (UUID())");
  };
  begin_anew();
  EXPECT_GE(open_fence(at())->ask().position, kept.position) << "else it shows nothing";
  EXPECT_NE(open_fence(at())->ask().source, kept.source) << "which no filter of before reaches";
  // The one that runs, and another that nobody has told of it.
  EXPECT_THAT(followed.why_it_stops(false), ::testing::HasSubstr("RESET MASTER"));
  EXPECT_EQ(followed.watermark(), kept);
  EXPECT_FALSE(followed.go_on());
  EXPECT_FALSE(open_change_source(at())->start(kept));

  Followed away(at());
  away.begin();
  const Watermark kept_away = *away.watermark();
  away = Followed(at());
  begin_anew();
  EXPECT_FALSE(open_change_source(at())->start(kept_away));
}

// The rows of the commits are in the log, and nobody sees them before a replica has answered.
TEST_F(MariadbChangesTest, AScanWaitsForCommitsThatHaveComeAndCannotBeSeen) {
  run(kUsers);
  Followed followed(at());
  followed.begin();
  run("SET GLOBAL rpl_semi_sync_master_wait_point='AFTER_SYNC', "
      "GLOBAL rpl_semi_sync_master_timeout=1000, GLOBAL rpl_semi_sync_master_enabled=ON");
  std::thread writer([] { run("INSERT INTO users (name) VALUES ('late')"); });
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!followed.has("late") && std::chrono::steady_clock::now() < until) followed.poll();
  EXPECT_TRUE(followed.has("late"));
  followed.keys().clear();
  EXPECT_EQ(the_server().connect("root", "shop").ask("SELECT COUNT(*) FROM users"), "0")
      << "the server does not hold it back";
  int pauses = 0;  // in which its consumer can carry changes
  followed.source().scan([&](const Batch& batch) {
    pauses += batch.keys.empty() ? 1 : 0;
    followed.keys().insert(batch.keys.begin(), batch.keys.end());
    return true;
  });
  EXPECT_TRUE(followed.has("late"));
  EXPECT_GT(pauses, 10);
  writer.join();
  run("SET GLOBAL rpl_semi_sync_master_enabled=OFF");
}

// The server then says of a snapshot that it sees what stands before that file, or checkpoint.
TEST_F(MariadbChangesTest, AScanHasCommitsThatAreHeldWhileTheLogBeginsAFileOrHasACheckpoint) {
  auto session = the_server().connect("root", "shop");
  const auto seen = [&](const std::string& what) {
    return session.ask(
        "SELECT GROUP_CONCAT(variable_value) FROM information_schema.global_status "
        "WHERE variable_name LIKE '" +
        what + "'");
  };
  run("SET GLOBAL rpl_semi_sync_master_wait_point='AFTER_SYNC', "
      "GLOBAL rpl_semi_sync_master_timeout=60000, GLOBAL innodb_flush_log_at_trx_commit=0");
  const std::pair<std::string, std::string> cases[]{{"4096", "binlog_snapshot_file"},
                                                    {"1073741824", "binlog_snapshot_%"}};
  for (const auto& [size, what] : cases) {
    SCOPED_TRACE(size);
    run("DROP TABLE IF EXISTS users");
    run(kUsers);
    Followed before(at());
    before.begin();
    // A file's first checkpoint comes once what was committed before it is synced, by and by.
    run("INSERT INTO users (name) VALUES ('early'); FLUSH BINARY LOGS; "
        "SET GLOBAL rpl_semi_sync_master_enabled=ON, GLOBAL max_binlog_size=" +
        size);
    const std::string at_first = seen(what);
    const std::jthread writer(
        [] { run("INSERT INTO users (name, more) VALUES ('held', REPEAT('x', 5000))"); });
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while ((!before.has("held") || seen(what) == at_first) &&
           std::chrono::steady_clock::now() < until) {
      before.poll();
    }
    before.keys().clear();
    Followed after(at());
    EXPECT_FALSE(after.source().start(std::nullopt));
    after.scan_again();
    before.scan_again();
    EXPECT_EQ(session.ask("SELECT COUNT(*) FROM users"), "1") << "it is not held back";
    EXPECT_NE(seen(what), at_first);
    for (const auto* const each : {&after, &before}) {
      EXPECT_TRUE(each->has("held"));
      EXPECT_TRUE(each->has("early"));
    }
    run("SET GLOBAL rpl_semi_sync_master_enabled=OFF, GLOBAL max_binlog_size=1073741824");
  }
}

}  // namespace
}  // namespace bloomery
