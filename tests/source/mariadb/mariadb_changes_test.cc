// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/mariadb/mariadb_changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/source/mariadb/history.h"
#include "mariadb_changes_fixture.h"
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

// The fence stays open, and is asked right before and after.
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

// The log begins at a number that somebody gave it.
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

TEST_F(MariadbChangesTest, CompressedColumnsBesideTheKeyAreRead) {
  run("CREATE TABLE users (small VARCHAR(50) COMPRESSED, wide VARCHAR(2000) COMPRESSED,"
      "more BLOB COMPRESSED, name VARCHAR(50) UNIQUE);"
      "CREATE TABLE others (a VARCHAR(9) COMPRESSED, b TEXT COMPRESSED)");
  Followed followed(at());
  followed.begin();
  run("INSERT INTO others VALUES ('a', REPEAT('b', 999));"
      "INSERT INTO users VALUES ('s', REPEAT('w', 1500), REPEAT('m', 3000), 'ann'),"
      "(NULL, 'w', NULL, 'bob')");
  followed.catch_up();
  EXPECT_TRUE(followed.has("ann"));
  EXPECT_TRUE(followed.has("bob"));
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

}  // namespace
}  // namespace bloomery
