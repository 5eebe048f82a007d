#include "bloomery/source/mariadb/mariadb_changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/source/mariadb/history.h"
#include "followed.h"
#include "one_server.h"
#include "tests/source/change_source_contract.h"

namespace bloomery {
namespace {

class MariadbSession final : public SqlSession {
 public:
  void run(const std::string& sql) override { client_.run(sql); }

 private:
  testing::MariadbClient client_ = the_server().connect("root", "shop");
};

TEST_F(MariadbTest, KeepsTheContractOfChangeSources) {
  ChangeSourceContract(
      {.name = "MariaDB",
       .connect = [] { return std::make_unique<MariadbSession>(); },
       .location = [](const std::string& table,
                      const std::string& column) { return the_server().location(table, column); },
       .leftovers = [] { return std::vector<std::string>{}; }})
      .check_all();
}

class MariadbChangesTest : public MariadbTest {
 protected:
  static constexpr const char* kUsers =
      "CREATE TABLE users (id INT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(50) UNIQUE, more TEXT)";

  static std::string at(const std::string& table = "users", const std::string& column = "name") {
    return the_server().location(table, column);
  }
  // At once, or once it comes to what is not in order; until then the filter stays as it is.
  static void expect_not_gone_on_with(const Watermark& kept) {
    const auto source = open_change_source(at());
    bool has_noticed = !source->start(kept);
    for (int i = 0; i < 500 && !has_noticed; ++i) {
      try {
        source->poll(
            [&](const Changes& changes) { EXPECT_EQ(changes.watermark.value_or(kept), kept); },
            std::chrono::milliseconds(20));
      } catch (const SourceChanged&) {
        has_noticed = true;
        EXPECT_FALSE(source->start(kept));
      }
    }
    EXPECT_TRUE(has_noticed);
  }
  static std::string why_not(const std::string& table, const std::string& column) {
    return message_of<std::invalid_argument>(
        [&] { open_change_source(at(table, column))->start(std::nullopt); });
  }
};

TEST_F(MariadbChangesTest, TransactionsOfManyRowsComeWhole) {
  run("CREATE TABLE numbers (n INT)");
  Followed followed(at("numbers", "n"));
  followed.begin();
  run("INSERT INTO numbers SELECT seq FROM seq_1_to_100000;"
      "BEGIN; INSERT INTO numbers SELECT seq FROM seq_200001_to_200100; ROLLBACK");
  followed.catch_up();
  EXPECT_EQ(followed.keys().size(), 100000U);
}

// Rows may be changed without a word in the log, or mean something else.
TEST_F(MariadbChangesTest, WhatExchangesTheTableStopsIt) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"TRUNCATE users", "TRUNCATE"},
      {"ALTER TABLE users ADD COLUMN x INT FIRST", "ALTER"},
      {"RENAME TABLE users TO old, fresh TO users", "RENAME"},
      {"ALTER TABLE parted EXCHANGE PARTITION p0 WITH TABLE users", "EXCHANGE"},
      {"DROP TABLE users", "DROP"},
      {"CREATE OR REPLACE TABLE users (name VARCHAR(9)) AS SELECT 'a' AS name", "CREATE"},
      {"DROP DATABASE shop; CREATE DATABASE shop", "DROP DATABASE"},
  };
  for (const auto& [statement, word] : cases) {
    run(std::string("DROP TABLE IF EXISTS users, fresh, old, parted; ") + kUsers);
    run("CREATE TABLE fresh LIKE users; INSERT INTO fresh (name) VALUES ('fresh');"
        "CREATE TABLE parted (id INT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(50), more TEXT) "
        "PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN (1000));"
        "ALTER TABLE users DROP INDEX name; INSERT INTO parted (name) VALUES ('parted')");
    Followed followed(at());
    followed.begin();
    run(statement);
    EXPECT_THAT(followed.why_it_stops(), ::testing::HasSubstr(word)) << statement;
  }
}

TEST_F(MariadbChangesTest, DefinitionsOfOthersDoNotStopIt) {
  run(kUsers);
  Followed followed(at());
  followed.begin();
  run("CREATE TABLE shop.others (id INT); ALTER TABLE others ADD COLUMN x INT; TRUNCATE others;"
      "CREATE TABLE copies AS SELECT * FROM others; DROP TABLE others, copies;"
      "CREATE DATABASE IF NOT EXISTS other; DROP DATABASE other; ANALYZE TABLE users;"
      "CREATE OR REPLACE USER bob@localhost; GRANT SELECT ON shop.* TO bob@localhost;"
      "SET PASSWORD FOR bob@localhost = PASSWORD('x'); DROP USER bob@localhost;"
      "CREATE TEMPORARY TABLE t (id INT); INSERT INTO t VALUES (1); DROP TEMPORARY TABLE t;"
      "BEGIN; SAVEPOINT a; INSERT INTO users (name) VALUES ('undone'); ROLLBACK TO a;"
      "INSERT INTO users (name) VALUES ('done'); COMMIT");
  followed.catch_up();
  EXPECT_TRUE(followed.has("done"));
}

TEST_F(MariadbChangesTest, AStatementWithoutItsRowsStopsIt) {
  run(kUsers);
  run("CREATE VIEW people AS SELECT * FROM users");
  Followed followed(at());
  followed.begin();
  run("SET SESSION binlog_format = STATEMENT; INSERT INTO people (name) VALUES ('hidden')");
  EXPECT_THAT(followed.why_it_stops(), ::testing::HasSubstr("INSERT INTO people"));
}

TEST_F(MariadbChangesTest, WhatOnlyLooksLikeADefinitionStopsIt) {
  for (const char* const statement : {"ANALYZE UPDATE table1 SET name = 'hidden'",
                                      "/*/ flush */ UPDATE table1 SET name = 'hidden'",
                                      "CREATE TABLE others AS VALUES (hide('hidden'))"}) {
    run("DROP TABLE IF EXISTS others; CREATE OR REPLACE TABLE table1 (name VARCHAR(9));"
        "INSERT INTO table1 VALUES ('a'); CREATE OR REPLACE FUNCTION hide(x VARCHAR(9)) RETURNS "
        "VARCHAR(9) DETERMINISTIC BEGIN INSERT INTO table1 VALUES (x); RETURN x; END");
    Followed followed(at("table1"));
    followed.begin();
    run(std::string("SET SESSION binlog_format = STATEMENT; ") + statement);
    EXPECT_THAT(followed.why_it_stops(), ::testing::HasSubstr("hidden")) << statement;
  }
}

TEST_F(MariadbChangesTest, NumbersThatGoBackAreRefused) {
  run(kUsers);
  Followed followed(at());
  followed.begin();
  run("SET GLOBAL gtid_strict_mode = OFF");
  EXPECT_THROW(followed.fence().ask(), StoreError);
  EXPECT_THAT(why_not("users", "name"), ::testing::HasSubstr("SET GLOBAL gtid_strict_mode=ON"));
  run("SET gtid_seq_no = 1; INSERT INTO users (name) VALUES ('a')");
  EXPECT_THAT(followed.why_it_stops(), ::testing::HasSubstr("do not grow"));
  run("INSERT INTO users (name) VALUES ('b'); SET GLOBAL gtid_strict_mode = ON;"
      "FLUSH BINARY LOGS");
}

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

TEST_F(MariadbChangesTest, DomainsThatAreDeletedMakeAnotherSource) {
  run(kUsers);
  run("SET gtid_domain_id = 77; INSERT INTO users (name) VALUES ('a'), ('b'); FLUSH BINARY LOGS");
  auto session = the_server().connect();
  const auto purge = [&] {
    const std::string current = session.ask("SHOW MASTER STATUS");
    for (int i = 0; i < 2000 && session.ask("SHOW BINARY LOGS") != current; ++i) {
      session.run("PURGE BINARY LOGS TO '" + current + "'");
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  };
  purge();
  Followed away(at());
  away.begin();
  const Watermark kept = *away.watermark();
  away.source().remove();
  Followed running(at());
  running.begin();
  session.run("FLUSH BINARY LOGS DELETE_DOMAIN_ID = (77)");
  EXPECT_NE(running.fence().ask().source, kept.source) << "at once, whoever asks";
  EXPECT_THAT(running.why_it_stops(), ::testing::HasSubstr("domains were deleted"));
  EXPECT_FALSE(running.go_on());
  EXPECT_FALSE(open_change_source(at())->start(kept));
  // The domain comes back, and counts from 1.
  run("SET gtid_domain_id = 77; INSERT INTO users (name) VALUES ('c')");
  EXPECT_FALSE(kept.reaches(running.fence().ask()));
  EXPECT_THAT(running.why_it_stops(), ::testing::HasSubstr("domain 77"));
  expect_not_gone_on_with(kept);
}

TEST_F(MariadbChangesTest, ASessionThatWasExchangedBehindAPoolerIsNotAsked) {
  run(kUsers);
  const ServerLocation users = location("users", "name");
  mariadb::Connection connection(mariadb::Server(users), kNoContext);
  mariadb::History history(
      connection, mariadb::describe_table(connection, users.selection, kNoContext), kNoContext);
  const Watermark now = history.ask(connection, kNoContext).watermark();
  EXPECT_EQ(now, open_fence(at())->ask());
  ASSERT_EQ(mysql_reset_connection(connection.handle()), 0);
  EXPECT_THROW(history.ask(connection, kNoContext), mariadb::SessionExchanged);
}

// A name may lead to several servers, and what is read over three connections be of three.
TEST_F(MariadbChangesTest, AllThatIsReadIsOfOneServer) {
  run(kUsers);
  run("INSERT INTO users (name) VALUES ('ann')");
  const auto source = open_change_source(at());
  source->start(std::nullopt);
  run("SET GLOBAL server_id = 1 + @@global.server_id");  // as another would say
  const auto ignore = [](const Batch&) { return true; };
  EXPECT_THROW(source->scan(ignore), StoreError);
  EXPECT_THROW(source->poll([](const Changes&) {}, std::chrono::milliseconds(20)), StoreError);
  run("SET GLOBAL server_id = @@global.server_id - 1");
  EXPECT_EQ(source->scan(ignore).key_count, 1U);
}

TEST_F(MariadbChangesTest, SeveralDomainsHaveOnePosition) {
  run(kUsers);
  run("SET gtid_domain_id = 7; INSERT INTO users (name) VALUES ('before')");
  Followed followed(at());
  followed.begin();
  run("SET gtid_domain_id = 7; INSERT INTO users (name) VALUES ('seven');"
      "SET gtid_domain_id = 0; INSERT INTO users (name) VALUES ('zero')");
  followed.catch_up();
  EXPECT_TRUE(followed.has("seven"));
  EXPECT_TRUE(followed.has("zero"));
  const auto kept = followed.watermark();
  run("SET gtid_domain_id = 7; INSERT INTO users (name) VALUES ('seven again')");
  ASSERT_TRUE(followed.source().start(kept));
  followed.keys().clear();
  followed.catch_up();
  EXPECT_EQ(followed.keys(), (std::set<std::string, std::less<>>{"seven again"}));
  run("SET gtid_domain_id = 70; INSERT INTO users (name) VALUES ('of a new one')");
  EXPECT_THAT(followed.why_it_stops(), ::testing::HasSubstr("domain 70"));
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

// Of a fence that stays open, and is asked right before and behind.
TEST_F(MariadbChangesTest, AFenceNoticesALogThatBeganAnewAndCameToTheSameNumber) {
  run(kUsers);
  run("RESET MASTER");
  const auto fence = open_fence(at());
  auto session = the_server().connect("root", "shop");
  for (int round = 0; round < 3; ++round) {
    session.run("INSERT INTO users (name) VALUES (UUID())");
    const Watermark before = fence->ask();
    session.run("RESET MASTER");
    for (int i = 0; i <= round; ++i) session.run("INSERT INTO users (name) VALUES (UUID())");
    const Watermark after = fence->ask();
    EXPECT_NE(after.source, before.source) << round;
  }
}

// By a number that somebody gave it.
TEST_F(MariadbChangesTest, AFenceNoticesALogThatBeganAnewWhereItWas) {
  run(kUsers);
  auto session = the_server().connect("root", "shop");
  const auto begin_at = [&](const char* state) {
    session.run("RESET MASTER");
    session.run(std::string("SET GLOBAL gtid_binlog_state = '") + state + "'");
    session.run("INSERT INTO users (name) VALUES (UUID())");
  };
  begin_at("0-1-50000000");
  const auto fence = open_fence(at());
  for (const char* const state : {"0-1-50000000", "0-1-50000001", "0-1-50000001"}) {
    const Watermark before = fence->ask();
    begin_at(state);
    const Watermark after = fence->ask();
    EXPECT_GE(after.position, before.position) << "else it shows nothing";
    EXPECT_NE(after.source, before.source) << state;
  }
  session.run("RESET MASTER");
}

// It has the same files and numbers then, and rows of its own at each of them.
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

// Fences name another source then, and the log says nothing of it.
TEST_F(MariadbChangesTest, AFollowerNoticesAResetThatLeavesTheLogAlone) {
  run(kUsers);
  Followed followed(at());
  followed.begin();
  ASSERT_TRUE(followed.go_on());
  run("RESET QUERY CACHE");
  EXPECT_NE(open_fence(at())->ask().source, followed.watermark()->source);
  EXPECT_THAT(followed.why_it_stops(false), ::testing::HasSubstr("RESET"));
  EXPECT_FALSE(followed.go_on());
}

TEST_F(MariadbChangesTest, PreparedTransactionsAreSeenWhenTheyEnd) {
  run(kUsers);
  Followed followed(at());
  followed.begin();
  auto session = the_server().connect("root", "shop");
  session.run("XA START 'a'; INSERT INTO users (name) VALUES ('kept'); XA END 'a'; XA PREPARE 'a'");
  session.run("XA COMMIT 'a'");
  session.run(
      "XA START 'b'; INSERT INTO users (name) VALUES ('undone'); XA END 'b';"
      "XA PREPARE 'b'; XA ROLLBACK 'b'");
  followed.catch_up();
  EXPECT_TRUE(followed.has("kept"));

  // Prepared before: neither the snapshot nor the log behind it has the row.
  session.run(
      "XA START 'c'; INSERT INTO users (name) VALUES ('early'); XA END 'c'; XA PREPARE 'c'");
  Followed late(at());
  late.begin();
  EXPECT_FALSE(late.has("early"));
  session.run("XA COMMIT 'c'");
  EXPECT_THAT(late.why_it_stops(), ::testing::HasSubstr("prepared before"));
}

// A follower builds its filter again beside itself: what came before is in the old one alone.
TEST_F(MariadbChangesTest, PreparedTransactionsCountForTheFilterThatIsThereWhenTheyEnd) {
  run(kUsers);
  Followed followed(at());
  followed.begin();
  auto session = the_server().connect("root", "shop");
  session.run("XA START 'd'; INSERT INTO users (name) VALUES ('held'); XA END 'd'; XA PREPARE 'd'");
  followed.catch_up();
  followed.keys().clear();
  followed.scan_again();
  session.run("XA COMMIT 'd'");
  followed.catch_up();
  EXPECT_TRUE(followed.has("held"));
}

TEST_F(MariadbChangesTest, WhatWasPreparedBeforeTheFilterWasMadeIsNotKnownAfterARestart) {
  run(kUsers);
  auto session = the_server().connect("root", "shop");
  session.run("XA START 'e'; INSERT INTO users (name) VALUES ('held'); XA END 'e'; XA PREPARE 'e'");
  Followed followed(at());
  followed.begin();
  EXPECT_TRUE(followed.go_on());
  session.run("XA COMMIT 'e'");
  EXPECT_THAT(followed.why_it_stops(), ::testing::HasSubstr("prepared before"));
}

// Its rows are in the log, and nobody sees them before a replica has answered.
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
  followed.scan_again();
  EXPECT_TRUE(followed.has("late"));
  writer.join();
  run("SET GLOBAL rpl_semi_sync_master_enabled=OFF");
}

// The server then says of a snapshot that it sees what stands before that file, or checkpoint.
TEST_F(MariadbChangesTest, AScanHasCommitsThatAreHeldWhileTheLogBeginsAFileOrHasACheckpoint) {
  auto session = the_server().connect("root", "shop");
  const auto seen = [&] {
    return session.ask(
        "SELECT GROUP_CONCAT(variable_value) FROM information_schema.global_status "
        "WHERE variable_name LIKE 'binlog_snapshot_%'");
  };
  run("SET GLOBAL rpl_semi_sync_master_wait_point='AFTER_SYNC', "
      "GLOBAL rpl_semi_sync_master_timeout=60000, GLOBAL innodb_flush_log_at_trx_commit=0");
  for (const std::string size : {"4096", "1073741824"}) {
    SCOPED_TRACE(size);
    run("DROP TABLE IF EXISTS users");
    run(kUsers);
    Followed before(at());
    before.begin();
    // A file's first checkpoint comes once what was committed before it is synced, by and by.
    run("INSERT INTO users (name) VALUES ('early'); FLUSH BINARY LOGS; "
        "SET GLOBAL rpl_semi_sync_master_enabled=ON, GLOBAL max_binlog_size=" +
        size);
    const std::string at_first = seen();
    const std::jthread writer(
        [] { run("INSERT INTO users (name, more) VALUES ('held', REPEAT('x', 5000))"); });
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while ((!before.has("held") || seen() == at_first) &&
           std::chrono::steady_clock::now() < until) {
      before.poll();
    }
    before.keys().clear();
    Followed after(at());
    EXPECT_FALSE(after.source().start(std::nullopt));
    after.scan_again();
    before.scan_again();
    EXPECT_EQ(session.ask("SELECT COUNT(*) FROM users"), "1") << "it is not held back";
    EXPECT_NE(seen(), at_first);
    for (const auto* const each : {&after, &before}) {
      EXPECT_TRUE(each->has("held"));
      EXPECT_TRUE(each->has("early"));
    }
    run("SET GLOBAL rpl_semi_sync_master_enabled=OFF, GLOBAL max_binlog_size=1073741824");
  }
}

TEST_F(MariadbChangesTest, CompressedEventsAreRead) {
  run(kUsers);
  run("SET GLOBAL log_bin_compress = ON, GLOBAL log_bin_compress_min_len = 10");
  Followed followed(at());
  followed.begin();
  run("INSERT INTO users (name, more) SELECT CONCAT('row', seq), REPEAT('x', 500) "
      "FROM seq_1_to_500; UPDATE users SET name = CONCAT(name, 'b') WHERE id % 2 = 0;"
      "CREATE TABLE others (a_column_with_a_long_name INT); DELETE FROM users");
  run("SET GLOBAL log_bin_compress = OFF");
  followed.catch_up();
  EXPECT_TRUE(followed.has("row499"));
  EXPECT_TRUE(followed.has("row500b"));
  EXPECT_EQ(followed.deleted_count(), 750U);
}

// REPLACE is logged as an update, whose image has neither what stays nor what becomes the default.
TEST_F(MariadbChangesTest, RowsWithoutTheirKeyInTheLogStopIt) {
  for (const char* const statement :
       {"REPLACE INTO tokens (id) VALUES (1)", "INSERT INTO tokens (id) VALUES (2)",
        "UPDATE tokens SET more = 'y'"}) {
    run("CREATE OR REPLACE TABLE tokens (id INT PRIMARY KEY, name VARCHAR(9) DEFAULT 'none', "
        "more TEXT); INSERT INTO tokens VALUES (1, 'one', 'x')");
    Followed tokens(at("tokens"));
    tokens.begin();
    run(std::string("SET binlog_row_image = MINIMAL; ") + statement);
    EXPECT_THAT(tokens.why_it_stops(), ::testing::HasSubstr("binlog_row_image")) << statement;
  }
}

TEST_F(MariadbChangesTest, SmallRowImagesAreRefusedUnlessTheyHaveTheKey) {
  run(kUsers);
  run("SET GLOBAL binlog_row_image = MINIMAL");
  EXPECT_THAT(why_not("users", "name"), ::testing::HasSubstr("binlog_row_image=FULL"));
  run("SET GLOBAL binlog_row_image = NOBLOB");
  EXPECT_THAT(why_not("users", "more"), ::testing::HasSubstr("binlog_row_image=FULL"));
  Followed followed(at());
  followed.begin();
  run("INSERT INTO users (name, more) VALUES ('a', 'x'); UPDATE users SET more = 'y';"
      "REPLACE INTO users (id, name) VALUES (1, 'b'); SET GLOBAL binlog_row_image = FULL");
  followed.catch_up();
  EXPECT_EQ(followed.keys(), (std::set<std::string, std::less<>>{"a", "b"}));
}

TEST_F(MariadbChangesTest, WhatCannotBeFollowedIsRefusedByName) {
  run("CREATE TABLE t (a INT PRIMARY KEY, b INT AS (a + 1), c DECIMAL(9,2), d ENUM('x'), "
      "e VARCHAR(9) CHARACTER SET gbk, f UUID, g DATE, h VARCHAR(900) COMPRESSED);"
      "CREATE TABLE m (a INT) ENGINE = MyISAM; CREATE TABLE r (a INT) ENGINE = Aria;"
      "CREATE VIEW v AS SELECT a FROM t;"
      "CREATE TABLE versions (a INT) WITH SYSTEM VERSIONING;"
      "CREATE TABLE child (a INT, FOREIGN KEY (a) REFERENCES t (a) ON UPDATE CASCADE)");
  using ::testing::HasSubstr;
  EXPECT_THAT(why_not("t", "b"), HasSubstr("computed"));
  EXPECT_THAT(why_not("t", "c"), HasSubstr("is decimal(9,2); followed are integers"));
  EXPECT_THAT(why_not("t", "d"), HasSubstr("followed are integers"));
  EXPECT_THAT(why_not("t", "e"), HasSubstr("CHARACTER SET gbk"));
  EXPECT_THAT(why_not("t", "f"), HasSubstr("is uuid"));
  EXPECT_THAT(why_not("t", "g"), HasSubstr("is date"));
  EXPECT_THAT(why_not("t", "h"), HasSubstr("not compressed"));
  EXPECT_THAT(why_not("m", "a"), HasSubstr("MyISAM"));
  EXPECT_THAT(why_not("r", "a"), HasSubstr("Aria"));
  EXPECT_THAT(why_not("v", "a"), HasSubstr("VIEW"));
  EXPECT_THAT(why_not("versions", "a"), HasSubstr("SYSTEM VERSIONED"));
  EXPECT_THAT(why_not("child", "a"), HasSubstr("ON UPDATE CASCADE"));
  EXPECT_THAT(why_not("none", "a"), HasSubstr("has no table"));
  run("SET GLOBAL binlog_format = MIXED");
  EXPECT_THAT(why_not("t", "a"), HasSubstr("SET GLOBAL binlog_format=ROW"));
  run("SET GLOBAL binlog_format = ROW");
  EXPECT_THROW(open_fence(at("none", "a"))->ask(), SourceChanged);
  EXPECT_THAT(message_of<std::invalid_argument>(
                  [] { open_change_source("mariadb://ann:sesame@h/d?query=SELECT 1"); }),
              AllOf(HasSubstr("name the column"), Not(HasSubstr("sesame"))));
}

TEST_F(MariadbChangesTest, RightsThatSufficeAreFew) {
  run(kUsers);
  run("CREATE OR REPLACE USER follower@localhost, app@localhost, nobody@localhost;"
      "GRANT REPLICATION SLAVE, BINLOG MONITOR ON *.* TO follower@localhost;"
      "GRANT SELECT ON shop.users TO follower@localhost;"
      "GRANT SELECT (id, name) ON shop.users TO app@localhost;"
      "GRANT SELECT (name) ON shop.users TO nobody@localhost");
  const auto as = [&](const std::string& user) {
    std::string location = at();
    return location.replace(location.find("root"), 4, user);
  };
  const auto source = open_change_source(as("follower"));
  EXPECT_FALSE(source->start(std::nullopt));
  const auto fence = open_fence(as("app"));
  run("INSERT INTO users (name) VALUES ('a')");
  const Watermark now = fence->ask();
  std::optional<Watermark> seen;
  for (int i = 0; i < 500 && !(seen && seen->reaches(now)); ++i) {
    source->poll([&](const Changes& changes) { seen = changes.watermark; },
                 std::chrono::milliseconds(20));
  }
  EXPECT_TRUE(seen && seen->reaches(now));
  EXPECT_THROW(open_change_source(as("nobody"))->start(std::nullopt), StoreError);
  // One that sees some columns alone would take one for another, and no foreign keys.
  run("GRANT REPLICATION SLAVE, BINLOG MONITOR ON *.* TO nobody@localhost");
  EXPECT_THAT(message_of<std::invalid_argument>(
                  [&] { open_change_source(as("nobody"))->start(std::nullopt); }),
              ::testing::HasSubstr("SELECT on its whole table"));
  run("CREATE TABLE parents (name VARCHAR(50) PRIMARY KEY); CREATE TABLE children (id INT, name "
      "VARCHAR(50), FOREIGN KEY (name) REFERENCES parents (name) ON UPDATE CASCADE);"
      "GRANT SELECT ON shop.children TO follower@localhost");
  std::string children = as("follower");
  children.replace(children.find("table=users"), 11, "table=children");
  EXPECT_THAT(
      message_of<std::invalid_argument>([&] { open_change_source(children)->start(std::nullopt); }),
      ::testing::HasSubstr("ON UPDATE CASCADE"));
}

}  // namespace
}  // namespace bloomery
