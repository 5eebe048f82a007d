#include "bloomery/source/mariadb/logged_statement.h"

#include <gtest/gtest.h>

#include <string>

namespace bloomery::mariadb {
namespace {

using enum LoggedStatement;

LoggedStatement judge(const std::string& statement) {
  return judge_statement(statement, "shop", "users");
}

TEST(LoggedStatement, WhatNamesTheTableMayChangeIt) {
  for (const char* const statement :
       {"ALTER TABLE users ADD COLUMN x INT", "alter table `shop`.`USERS` force",
        "RENAME TABLE a TO b, c TO users", "TRUNCATE users", "DROP TABLE IF EXISTS a, `users`",
        "/*!40000 ALTER TABLE users DISABLE KEYS */", "CREATE OR REPLACE TABLE users (id INT)",
        "ALTER TABLE p EXCHANGE PARTITION p0 WITH TABLE users", "DROP DATABASE shop",
        "CREATE INDEX i ON users (id)", "OPTIMIZE TABLE users", "drop schema `shop`"}) {
    EXPECT_EQ(judge(statement), unknown) << statement;
  }
}

TEST(LoggedStatement, WhatChangesRowsIsUnknownWhateverItNames) {
  for (const char* const statement :
       {"INSERT INTO a_view VALUES (1)", "UPDATE others SET x = 1", "DELETE FROM others",
        "LOAD DATA INFILE 'x' INTO TABLE others", "CALL f()", "DO f()", "REPLACE INTO o VALUES (1)",
        "SET STATEMENT max_statement_time = 1 FOR INSERT INTO o VALUES (1)", "SELECT f()",
        "BEGIN NOT ATOMIC DELETE FROM o; END", "ANALYZE DELETE FROM others", "WITH a AS (SELECT 1)",
        "CREATE TABLE others AS SELECT f()", "", "/* nothing */", "anything new"}) {
    EXPECT_EQ(judge(statement), unknown) << statement;
  }
}

TEST(LoggedStatement, DefinitionsOfOthersLeaveTheTableAlone) {
  for (const char* const statement :
       {"CREATE TABLE shop.others (id INT)", "ALTER TABLE users2 FORCE", "DROP TABLE my_users",
        "TRUNCATE TABLE others", "CREATE DATABASE other", "GRANT SELECT ON shop.users TO ann",
        "ANALYZE TABLE users", "FLUSH TABLES", "SET PASSWORD FOR ann = 'x'", "XA START 'a'",
        "SAVEPOINT a", "ROLLBACK TO a", "DROP /*!40005 TEMPORARY */ TABLE IF EXISTS `t`"}) {
    EXPECT_EQ(judge(statement), neutral) << statement;
  }
}

TEST(LoggedStatement, NamesThatMayBeSpelledOtherwiseAreInEveryDefinition) {
  EXPECT_EQ(judge_statement("DROP TABLE others", "shop", "k\xc3\xb6nig"), unknown);
  EXPECT_EQ(judge_statement("DROP TABLE others", "shop", "a`b"), unknown);
  EXPECT_EQ(judge_statement("DROP TABLE a-b", "shop", "a-b"), unknown);
}

TEST(LoggedStatement, TransactionsBeginAndEnd) {
  EXPECT_EQ(judge("BEGIN"), begin);
  for (const char* const statement : {"COMMIT", "ROLLBACK", "XA COMMIT X'61'", "XA ROLLBACK 'a'"}) {
    EXPECT_EQ(judge(statement), end) << statement;
  }
}

}  // namespace
}  // namespace bloomery::mariadb
