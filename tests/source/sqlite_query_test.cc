// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "sqlite_fixture.h"

namespace bloomery {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;

class SqliteQueryTest : public SqliteTest {
 protected:
  SqliteQueryTest() {
    make(
        "CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT); INSERT INTO t VALUES "
        "(1,'a'),(2,'b'),(3,'c')");
  }
  std::string refused(const std::string& sql) {
    return message_of<std::invalid_argument>([&] { query(sql); });
  }
};

TEST_F(SqliteQueryTest, GivesWhatItSelects) {
  auto some = query("SELECT v FROM t WHERE id >= 2");
  EXPECT_EQ(some.expected_count(), 2U);
  EXPECT_THAT(keys_of(some), ElementsAre("b", "c"));
}

TEST_F(SqliteQueryTest, TakesAnySelect) {
  for (const char* sql :
       {"SELECT v FROM t;", " select v from t ; \n; ", "SELECT v FROM t -- the keys",
        "SELECT v FROM t; -- the keys;", "/* the keys; */ SELECT v FROM t",
        "SELECT v FROM t ORDER BY id LIMIT 3", "WITH x AS (SELECT v FROM t) SELECT v FROM x",
        "VALUES ('a'),('b'),('c')", "SELECT v AS \"a \"\"name\"\"\" FROM t",
        "SELECT 'a' UNION ALL SELECT 'b' UNION ALL SELECT 'c'"}) {
    auto some = query(sql);
    EXPECT_THAT(keys_of(some), ElementsAre("a", "b", "c")) << sql;
  }
}

TEST_F(SqliteQueryTest, RefusesWhatIsNoSingleSelectOfOneColumn) {
  EXPECT_THAT(
      refused("SELECT id, v FROM t"),
      AllOf(HasSubstr("selects 2 columns"), HasSubstr("allowed: one SELECT of one column")));
  EXPECT_THAT(refused("SELECT v FROM t; SELECT v FROM t"), HasSubstr("another statement"));
  EXPECT_THAT(refused("SELECT v FROM t; DELETE FROM t"), HasSubstr("another statement"));
  EXPECT_THAT(refused("-- nothing"), HasSubstr("is empty"));
  EXPECT_THAT(refused("SELECT v FROM t WHERE id = ?"), HasSubstr("has parameters"));
  for (const char* sql : {"DELETE FROM t", "INSERT INTO t VALUES (4,'d') RETURNING v",
                          "CREATE TABLE u(x)", "PRAGMA user_version", "ATTACH 'x.db' AS x",
                          "EXPLAIN SELECT v FROM t", "VACUUM", "BEGIN"}) {
    EXPECT_THAT(refused(sql), HasSubstr("is no SELECT")) << sql;
  }
}

TEST_F(SqliteQueryTest, CannotBreakOutOfItsPlace) {
  EXPECT_THAT(refused("SELECT v FROM t) SELECT 1 FROM (SELECT 1"), HasSubstr("syntax error"));
  EXPECT_THAT(refused("SELECT bloomery_take_key(v) FROM t"), HasSubstr("no such function"));
}

TEST_F(SqliteQueryTest, SaysWhatIsThereWhereANameIsWrong) {
  EXPECT_THAT(refused("SELECT v FROM shops"),
              AllOf(HasSubstr("no such table: shops"), HasSubstr("tables and views: \"t\"")));
  EXPECT_THAT(refused("SELECT nonsense FROM t"), HasSubstr("no such column: nonsense"));
}

// SQLite would take a misspelt "name" for the string 'name': one wrong key for every row.
TEST_F(SqliteQueryTest, AMisspeltQuotedNameIsNoString) {
  // With its quotes from SQLite 3.46 on.
  EXPECT_THAT(
      refused("SELECT \"nonsense\" FROM t"),
      AnyOf(HasSubstr("no such column: nonsense"), HasSubstr("no such column: \"nonsense\"")));
}

TEST_F(SqliteQueryTest, FailsWhereTheQueryFailsAtARow) {
  auto failing = query("SELECT abs(-9223372036854775808) FROM t");
  EXPECT_THAT(message_of<std::invalid_argument>([&] { keys_of(failing); }),
              HasSubstr("integer overflow"));
}

}  // namespace
}  // namespace bloomery
