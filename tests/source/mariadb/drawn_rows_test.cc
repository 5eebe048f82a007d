// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/mariadb/drawn_rows.h"

#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "mariadb_changes_fixture.h"

namespace bloomery {
namespace {

class DrawnRows : public MariadbChangesTest {
 protected:
  // Returns the keys of a few draws.
  static std::optional<std::set<std::string>> draw(const std::string& column = "name",
                                                   const KeyForm& form = {}) {
    const ServerLocation users = location("users", column);
    mariadb::Connection connection(mariadb::Server(users), kNoContext);
    const auto table = mariadb::describe_table(connection, users.selection, kNoContext);
    std::minstd_rand random(1);
    std::set<std::string> drawn;
    for (int i = 0; i < 10; ++i) {
      const auto some = mariadb::draw_keys(connection, table, form, 64, random, kNoContext);
      if (!some) return std::nullopt;
      drawn.insert(some->begin(), some->end());
    }
    reads_ = 0;
    for (const auto& row : connection.ask("SHOW SESSION STATUS LIKE 'Handler_read%'", kNoContext)) {
      reads_ += std::stoi(row[1].value());
    }
    return drawn;
  }

  static inline int reads_ = 0;  // of rows, for all draws
};

TEST_F(DrawnRows, AreFromAllOverTheTableAtACostThatItsSizeDoesNotRaise) {
  struct Case {
    const char* type;
    const char* number;
    int count;
  };
  for (const auto& [type, number, count] :
       {Case{"INT", "200000 * (CAST(seq AS SIGNED) - 5000)", 10000},
        Case{"TINYINT", "CAST(seq AS SIGNED) - 128", 255},
        Case{"BIGINT UNSIGNED", "18446744073709551615 - 7 * seq", 10000}}) {
    SCOPED_TRACE(type);
    run("CREATE OR REPLACE TABLE users (n " + std::string(type) +
        ", other INT, name VARCHAR(50), PRIMARY KEY (n, other)); INSERT INTO users SELECT " +
        number + ", 7, IF(seq % 10 = 0, NULL, CONCAT('row ', seq)) FROM seq_1_to_" +
        std::to_string(count));
    const auto drawn = draw();
    ASSERT_TRUE(drawn);
    EXPECT_GT(drawn->size(), count < 1000 ? 150U : 500U);
    EXPECT_LT(reads_, 3'000);
    int low = 0;
    for (const std::string& key : *drawn) {
      ASSERT_TRUE(key.starts_with("row "));
      const int row = std::stoi(key.substr(4));
      EXPECT_TRUE(row % 10 != 0 && row >= 1 && row <= count) << key;
      low += 2 * row < count ? 1 : 0;
    }
    EXPECT_NEAR(static_cast<double>(low) / static_cast<double>(drawn->size()), 0.5, 0.1);
  }
}

TEST_F(DrawnRows, AreSpelledAsOthersAre) {
  run("CREATE TABLE users (n INT(6) ZEROFILL PRIMARY KEY); INSERT INTO users VALUES (7), (70)");
  EXPECT_EQ(draw("n"), (std::set<std::string>{"7", "70"}));
  EXPECT_EQ(draw("n", {.encoding = KeyEncoding::u64}),
            (std::set<std::string>{std::string("\7\0\0\0\0\0\0\0", 8),
                                   std::string("\x46\0\0\0\0\0\0\0", 8)}));
  run("DELETE FROM users");
  EXPECT_EQ(draw("n"), std::set<std::string>());
}

TEST_F(DrawnRows, AreNoneWhereNoNumberLeadsToThem) {
  run("CREATE TABLE users (name VARCHAR(9) PRIMARY KEY, n INT); INSERT INTO users VALUES ('a', 1)");
  EXPECT_FALSE(draw());
  run("CREATE OR REPLACE TABLE users (name VARCHAR(9), n INT UNIQUE NOT NULL)");
  EXPECT_FALSE(draw());
}

// An audit finds rows that nobody can follow.
TEST_F(DrawnRows, HaveThoseThatWereWrittenPastTheLog) {
  run(kUsers);
  run("INSERT INTO users (name) SELECT CONCAT('told ', seq) FROM seq_1_to_50");
  Followed followed(at());
  followed.begin();
  run("SET sql_log_bin = 0; INSERT INTO users (name) SELECT CONCAT('untold ', seq) FROM "
      "seq_1_to_50");
  const auto drawn = followed.source().draw();
  ASSERT_TRUE(drawn);
  while (!followed.has_reached(drawn->behind)) followed.poll();
  int told = 0;
  int untold = 0;
  for (const std::string& key : drawn->keys) {
    EXPECT_EQ(followed.has(key), key.starts_with("told ")) << key;
    (followed.has(key) ? told : untold) += 1;
  }
  EXPECT_GT(told, 10);
  EXPECT_GT(untold, 10);
  run("CREATE TABLE last (n INT)");  // a scan of the next test also takes the log's last commits
}

}  // namespace
}  // namespace bloomery
