// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/mariadb/followable_mariadb.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>

#include "bloomery/errors.h"
#include "mariadb_changes_fixture.h"
#include "tests/source/how_to_page.h"

namespace bloomery {
namespace {

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
  // A user who sees some columns alone would take one column for another, and sees no foreign keys.
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

TEST_F(MariadbChangesTest, TheHowToPageMakesAUserWhoMayFollow) {
  run("CREATE TABLE users (id INT PRIMARY KEY); DROP USER IF EXISTS follower@localhost");
  std::string location = at("users", "id");
  location.replace(location.find("root"), 4, "follower:secret");
  EXPECT_THROW(open_change_source(location)->start(std::nullopt), StoreError);
  run(how_to_make_follower("MariaDB"));
  EXPECT_FALSE(open_change_source(location)->start(std::nullopt));
  run("DROP USER follower");
}

}  // namespace
}  // namespace bloomery
