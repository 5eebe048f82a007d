// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/mysql/mysql_changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/errors.h"
#include "followed.h"
#include "tests/source/change_source_contract.h"
#include "tests/source/how_to_page.h"
#include "tests/source/source_helpers.h"
#include "the_mysql.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;

constexpr const char* kUsers =
    "CREATE TABLE users (id INT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(50) UNIQUE, more TEXT)";

// Each table begins a file of the log, before which nothing is read of it.
class MysqlSession final : public SqlSession {
 public:
  void run(const std::string& sql) override {
    client_.run(sql);
    if (sql.find("CREATE TABLE") != sql.npos) client_.run("FLUSH BINARY LOGS");
  }

 private:
  testing::MariadbClient client_ = the_mysql().connect("root", "shop");
};

// A user who may not ask what everybody sees (performance_schema.log_status).
std::string of_lesser_user(const std::string& table, const std::string& column) {
  the_mysql().run(
      "CREATE USER IF NOT EXISTS lesser; GRANT SELECT ON shop.* TO lesser; "
      "GRANT REPLICATION CLIENT, REPLICATION SLAVE, XA_RECOVER_ADMIN ON *.* TO lesser");
  return "mysql://lesser@/shop?table=" + table + "&column=" + column +
         "&socket=" + the_mysql().socket();
}

DatabaseUnderTest database(const std::function<std::string(const std::string& table,
                                                           const std::string& column)>& location) {
  return {.name = "MySQL, " + location("users", "id"),
          .connect = [] { return std::make_unique<MysqlSession>(); },
          .location = location,
          .leftovers = [] { return std::vector<std::string>{}; }};
}

TEST_F(MysqlTest, KeepsTheContractOfChangeSources) {
  ChangeSourceContract(database([](const std::string& table, const std::string& column) {
    return the_mysql().location(table, column);
  })).check_all();
}

// A user of fewer rights learns only of older files of the log that everybody sees them.
TEST_F(MysqlTest, KeepsTheContractForAUserOfFewerRights) {
  DatabaseUnderTest tested = database(of_lesser_user);
  tested.tells_ends = false;
  ChangeSourceContract(tested).check_all();
}

// Rows may be changed without a word in the log, or mean something else.
TEST_F(MysqlTest, WhatExchangesTheTableStopsIt) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"TRUNCATE users", "TRUNCATE"},
      {"ALTER TABLE users ADD COLUMN x INT FIRST", "ALTER"},
      {"ALTER TABLE users DROP COLUMN more, ALGORITHM=INSTANT", "ALTER"},
      {"RENAME TABLE users TO old, fresh TO users", "RENAME"},
      {"ALTER TABLE parted EXCHANGE PARTITION p0 WITH TABLE users", "EXCHANGE"},
      {"DROP TABLE users", "DROP"},
      {"DROP DATABASE shop; CREATE DATABASE shop", "DROP DATABASE"},
      {"SET binlog_format = STATEMENT; INSERT INTO users (name) VALUES ('ann')", "INSERT"},
      {"SET binlog_row_image = MINIMAL; UPDATE users SET more = 'x'; "
       "INSERT INTO users (id) VALUES (900)",
       "without its key"},
      {"XA START 'x'; INSERT INTO users (name) VALUES ('ann'); XA END 'x'; XA PREPARE 'x'; "
       "XA ROLLBACK 'x'",
       "XA"},
      {"XA START 'x'; INSERT INTO users (name) VALUES ('ann'); XA END 'x'; XA COMMIT 'x' ONE PHASE",
       "XA"},
  };
  for (const auto& [statement, word] : cases) {
    run(std::string("DROP TABLE IF EXISTS users, fresh, old, parted; ") + kUsers);
    run("CREATE TABLE fresh LIKE users; INSERT INTO fresh (name) VALUES ('fresh');"
        "CREATE TABLE parted (id INT PRIMARY KEY AUTO_INCREMENT, name VARCHAR(50), more TEXT) "
        "PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN (1000));"
        "ALTER TABLE users DROP INDEX name; INSERT INTO users (name) VALUES ('first');"
        "INSERT INTO parted (name) VALUES ('parted')");
    Followed followed(at());
    followed.begin();
    run(statement);
    EXPECT_THAT(followed.why_it_stops(), HasSubstr(word)) << statement;
  }
}

TEST_F(MysqlTest, DefinitionsOfOthersDoNotStopIt) {
  run(kUsers);
  Followed followed(at());
  followed.begin();
  run("CREATE TABLE others (id INT); ALTER TABLE others ADD COLUMN x INT; TRUNCATE others;"
      "CREATE TABLE copies AS SELECT * FROM others; DROP TABLE others, copies;"
      "CREATE DATABASE IF NOT EXISTS other; DROP DATABASE other; ANALYZE TABLE users;"
      "CREATE USER someone; GRANT SELECT ON shop.* TO someone; DROP USER someone;"
      "BEGIN; SAVEPOINT a; INSERT INTO users (name) VALUES ('undone'); ROLLBACK TO a;"
      "INSERT INTO users (name) VALUES ('done'); COMMIT; FLUSH BINARY LOGS;"
      "CREATE TEMPORARY TABLE t (id INT); INSERT INTO t VALUES (1); DROP TEMPORARY TABLE t;"
      "INSERT INTO users (name) VALUES ('last')");
  followed.catch_up();
  EXPECT_TRUE(followed.has("done"));
  EXPECT_TRUE(followed.has("last"));
}

TEST_F(MysqlTest, TransactionsWithATagInTheirNumberCome) {
  if (ask("SELECT @@global.gtid_mode") != "ON") GTEST_SKIP() << "transactions have no numbers";
  run(kUsers);
  Followed followed(at());
  followed.begin();
  run("SET gtid_next = 'AUTOMATIC:tag'; INSERT INTO users (name) VALUES ('tagged'); "
      "SET gtid_next = 'AUTOMATIC'; INSERT INTO users (name) VALUES ('plain')");
  followed.catch_up();
  EXPECT_TRUE(followed.has("tagged"));
  EXPECT_TRUE(followed.has("plain"));
}

// The hidden key is a column of the log, and of the table.
TEST_F(MysqlTest, ATableWithoutAKeyOfItsOwnIsFollowed) {
  run("SET sql_generate_invisible_primary_key = ON; CREATE TABLE users (name VARCHAR(50))");
  Followed followed(at());
  followed.begin();
  run("INSERT INTO users VALUES ('ann'); DELETE FROM users; INSERT INTO users VALUES ('bob')");
  followed.catch_up();
  EXPECT_TRUE(followed.has("ann"));
  EXPECT_TRUE(followed.has("bob"));
}

TEST_F(MysqlTest, KeysThatChangeWithAnotherTableAreRefused) {
  run("CREATE TABLE groups_of (g VARCHAR(9) PRIMARY KEY);"
      "CREATE TABLE users (name VARCHAR(9), FOREIGN KEY (name) REFERENCES groups_of (g) "
      "ON UPDATE CASCADE)");
  EXPECT_THAT(
      message_of<std::invalid_argument>([] { open_change_source(at())->start(std::nullopt); }),
      HasSubstr("ON UPDATE CASCADE"));
}

TEST_F(MysqlTest, ReadsKeysBesideColumnsOfEveryType) {
  run("CREATE TABLE users (a TINYINT, b SMALLINT UNSIGNED, c MEDIUMINT, d INT, e BIGINT, f FLOAT, "
      "g DOUBLE, h DECIMAL(20, 7), i BIT(13), j DATE, k TIME(3), l DATETIME(6), m TIMESTAMP(1) "
      "NULL, n YEAR, o CHAR(200), p VARCHAR(300), q BINARY(4), r VARBINARY(9), s TINYTEXT, t TEXT, "
      "u MEDIUMBLOB, v LONGTEXT, w ENUM('x', 'y'), x SET('a', 'b'), y JSON, z POINT, "
      "aa VECTOR(3), ab INT GENERATED ALWAYS AS (d + 1) VIRTUAL, "
      "ac INT GENERATED ALWAYS AS (d + 2) STORED, ad INT INVISIBLE, "
      "name VARCHAR(60) COLLATE utf8mb4_0900_ai_ci DEFAULT (CONCAT('made ', d)))");
  Followed followed(at());
  followed.begin();
  run("INSERT INTO users (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, "
      "y, z, aa, ad) VALUES (-1, 2, -3, 4, -5, 1.5, 2.5, -1234567.1234567, b'1010', '2026-01-02', "
      "'-12:30:01.5', '2026-01-02 03:04:05.123456', '2026-01-02 03:04:05.1', 2026, 'char', "
      "REPEAT('v', 300), 'b', 'vb', 'tt', 'text', 'mb', REPEAT('l', 70000), 'y', 'a,b', "
      "'{\"a\": [1, 2]}', POINT(1, 2), STRING_TO_VECTOR('[1,2,3]'), 9);"
      "INSERT INTO users (name) VALUES ('Ann'), ('Änn'), (NULL), ('');"
      "UPDATE users SET name = 'next', y = JSON_SET(y, '$.b', 7) WHERE d = 4");
  followed.catch_up();
  for (const char* const key : {"made 4", "Ann", "Änn", "", "next"}) {
    EXPECT_TRUE(followed.has(key)) << key;
  }
  EXPECT_EQ(followed.keys().size(), 5U);
}

TEST_F(MysqlTest, ReadsEveryKindOfKey) {
  run("CREATE TABLE users (i INT, u BIGINT UNSIGNED, z SMALLINT(5) ZEROFILL, c CHAR(20), "
      "b BINARY(3), l VARCHAR(20) CHARACTER SET latin1, t TEXT, x VARBINARY(5))");
  const std::vector<std::pair<std::string, std::string>> expected{{"i", "-7"},
                                                                  {"u", "18446744073709551615"},
                                                                  {"z", "42"},
                                                                  {"c", "char"},
                                                                  {"b", std::string("b\0\0", 3)},
                                                                  {"l", "Änn"},
                                                                  {"t", "text"},
                                                                  {"x", "vb"}};
  for (const auto& [column, key] : expected) {
    run("DELETE FROM users");
    Followed followed(at("users", column));
    followed.begin();
    run("INSERT INTO users VALUES (-7, 18446744073709551615, 42, 'char  ', 'b', 'Änn', 'text', "
        "'vb')");
    followed.catch_up();
    EXPECT_TRUE(followed.has(key)) << column;
    Followed scanned(at("users", column));
    scanned.begin();
    EXPECT_EQ(scanned.keys(), followed.keys()) << column;
  }
}

TEST_F(MysqlTest, CompressedTransactionsComeWhole) {
  run(kUsers);
  run("CREATE TABLE numbers (i INT PRIMARY KEY); SET cte_max_recursion_depth = 100000;"
      "INSERT INTO numbers WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE "
      "i < 100000) SELECT i FROM n");
  Followed followed(at());
  followed.begin();
  run("SET binlog_transaction_compression = ON;"
      "INSERT INTO users (name) SELECT CONCAT('key ', i) FROM numbers;"
      "BEGIN; INSERT INTO users (name, more) VALUES ('long', REPEAT('x', 60000)); SAVEPOINT a; "
      "UPDATE users SET name = 'other' WHERE name = 'key 7'; COMMIT;"
      "CREATE TABLE copies AS SELECT * FROM users WHERE id < 10;"
      "SET binlog_transaction_compression = OFF; INSERT INTO users (name) VALUES ('plain')");
  EXPECT_NE(ask("SELECT TRANSACTION_COUNTER FROM "
                "performance_schema.binary_log_transaction_compression_stats "
                "WHERE LOG_TYPE = 'BINARY' AND COMPRESSION_TYPE = 'ZSTD'"),
            "0");
  followed.catch_up();
  EXPECT_EQ(followed.keys().size(), 100003U);
  EXPECT_TRUE(followed.has("key 100000"));
  EXPECT_TRUE(followed.has("long"));
  EXPECT_TRUE(followed.has("other"));
  EXPECT_TRUE(followed.has("plain"));
  EXPECT_EQ(followed.deleted_count(), 1U);
}

// The names and offsets of the log are there again, of other transactions.
TEST_F(MysqlTest, ResetOfTheLogIsAnotherSource) {
  run(kUsers);
  run("RESET BINARY LOGS AND GTIDS; INSERT INTO users (name) VALUES ('before')");
  Followed followed(at());
  followed.begin();
  const Watermark before = *followed.watermark();
  run("RESET BINARY LOGS AND GTIDS; INSERT INTO users (name) VALUES ('behind')");
  EXPECT_NE(followed.fence().ask().source, before.source);
  EXPECT_NE(open_fence(at())->ask().source, before.source);
  EXPECT_FALSE(open_change_source(at())->start(before));
  EXPECT_NE(followed.why_it_stops(), "it does not stop");
}

TEST_F(MysqlTest, LogThatWasPurgedBeginsWithAScan) {
  run(kUsers);
  Followed followed(at());
  followed.begin();
  run("INSERT INTO users (name) VALUES ('unread'); FLUSH BINARY LOGS; FLUSH BINARY LOGS");
  run("PURGE BINARY LOGS TO '" + ask("SHOW BINARY LOG STATUS") + "'");
  EXPECT_FALSE(open_change_source(at())->start(followed.watermark()));
}

TEST_F(MysqlTest, GoesOnInALaterFile) {
  run(kUsers);
  Followed followed(at());
  followed.begin();
  run("INSERT INTO users (name) VALUES ('a'); FLUSH BINARY LOGS;"
      "INSERT INTO users (name) VALUES ('b'); FLUSH BINARY LOGS");
  EXPECT_TRUE(followed.go_on());
  followed.catch_up();
  EXPECT_TRUE(followed.has("a"));
  EXPECT_TRUE(followed.has("b"));
}

std::string why_not(const std::string& location) {
  return message_of<std::invalid_argument>(
      [&] { open_change_source(location)->start(std::nullopt); });
}

TEST_F(MysqlTest, WhatTheLogDoesNotTellIsRefusedByName) {
  run(kUsers);
  const std::vector<std::vector<std::string>> cases{
      {"SET GLOBAL binlog_format = MIXED", "SET GLOBAL binlog_format = ROW", "binlog_format=MIXED"},
      {"SET GLOBAL binlog_row_image = MINIMAL", "SET GLOBAL binlog_row_image = FULL",
       "binlog_row_image=MINIMAL"},
      {"SET GLOBAL binlog_error_action = IGNORE_ERROR",
       "SET GLOBAL binlog_error_action = ABORT_SERVER", "binlog_error_action"},
      {"ALTER TABLE users ADD COLUMN j JSON; SET GLOBAL binlog_row_value_options = PARTIAL_JSON",
       "SET GLOBAL binlog_row_value_options = ''", "binlog_row_value_options"},
      {"CREATE INDEX upper_name ON users ((UPPER(name)))", "DROP INDEX upper_name ON users",
       "upper_name"},
      {"XA START 'x'; INSERT INTO users (name) VALUES ('xa'); XA END 'x'; XA PREPARE 'x'",
       "XA ROLLBACK 'x'", "XA RECOVER"},
      {"DROP TABLE users; CREATE TABLE users (name VARCHAR(9)) ENGINE = MyISAM",
       std::string("DROP TABLE users; ") + kUsers, "MyISAM"},
      {"RENAME TABLE users TO kept; CREATE VIEW users AS SELECT * FROM kept",
       std::string("DROP VIEW users; ") + kUsers, "VIEW"},
  };
  for (const auto& each : cases) {
    run(each[0]);
    EXPECT_THAT(why_not(at()), HasSubstr(each[2])) << each[0];
    run(each[1]);
    EXPECT_NO_THROW(open_change_source(at())->start(std::nullopt)) << each[1];
  }
}

TEST_F(MysqlTest, SessionThatDoesNotLogIsRefused) {
  run(kUsers);
  auto silent = the_mysql().connect("root", "shop");
  silent.run("SET sql_log_bin = 0");
  EXPECT_THAT(why_not(at()), HasSubstr("sql_log_bin"));
}

TEST_F(MysqlTest, RightsThatAreMissingAreNamed) {
  run(kUsers);
  run("DROP USER IF EXISTS reader; CREATE USER reader; GRANT SELECT ON shop.users TO reader");
  const std::string mine =
      "mysql://reader@/shop?table=users&column=name&socket=" + the_mysql().socket();
  EXPECT_THAT(why_not(mine), HasSubstr("GRANT REPLICATION CLIENT ON *.* TO 'reader'@'%'"));
  run("GRANT REPLICATION CLIENT ON *.* TO reader");
  EXPECT_NO_THROW(open_fence(mine)->ask());
  EXPECT_THAT(why_not(mine), HasSubstr("GRANT XA_RECOVER_ADMIN ON *.* TO 'reader'@'%'"));
  run("GRANT XA_RECOVER_ADMIN ON *.* TO reader");
  EXPECT_THAT(why_not(mine), HasSubstr("GRANT REPLICATION SLAVE ON *.* TO 'reader'@'%'"));
  run("GRANT REPLICATION SLAVE ON *.* TO reader");
  Followed followed(mine);
  followed.begin();
  run("INSERT INTO users (name) VALUES ('ann')");
  followed.catch_up();
  EXPECT_TRUE(followed.has("ann"));
}

TEST_F(MysqlTest, TheHowToPageMakesAUserWhoMayFollow) {
  run("CREATE TABLE users (id INT PRIMARY KEY)");
  std::string location = at("users", "id");
  location.replace(location.find("root"), 4, "follower:secret");
  EXPECT_THROW(open_change_source(location)->start(std::nullopt), StoreError);
  run(how_to_make_follower("MySQL"));
  EXPECT_FALSE(open_change_source(location)->start(std::nullopt));
  run("DROP USER follower");
}

}  // namespace
}  // namespace bloomery
