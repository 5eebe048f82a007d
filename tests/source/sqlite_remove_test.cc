// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "bloomery/source/open_changes.h"
#include "tests/source/sqlite_fixture.h"

// Tests of what following leaves in a database, and who takes it away.

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class SqliteRemoveTest : public SqliteTest {
 protected:
  void follow(const std::string& table, const std::string& column, const std::string& slot = "") {
    open_change_source(location(table, column), with(slot))->start(std::nullopt);
  }
  std::string remove(const std::string& table, const std::string& column,
                     const std::string& slot = "") {
    return remove_changes(location(table, column), with(slot));
  }
  std::vector<std::string> leftovers() const {
    return SqliteDatabase(path_, 1000)
        .texts("SELECT name FROM sqlite_schema WHERE name GLOB 'bloom*'");
  }

 private:
  std::string location(const std::string& table, const std::string& column) const {
    return "sqlite:" + path_ + "?table=" + table + "&column=" + column;
  }
  static ChangeOptions with(const std::string& slot) {
    ChangeOptions options;
    options.slot = slot;
    return options;
  }
};

TEST_F(SqliteRemoveTest, TakesAwayWhatIsLeftOfATableThatIsThereNoMore) {
  make("CREATE TABLE kept(x)");
  for (const std::string done : {"ALTER TABLE t RENAME TO u", "ALTER TABLE t RENAME COLUMN k TO l",
                                 "DROP TABLE t", "INSERT INTO t VALUES (1)"}) {
    SCOPED_TRACE(done);
    make("CREATE TABLE t(k)");
    follow("t", "k");
    make(done);
    EXPECT_THAT(leftovers(), Not(IsEmpty()));
    EXPECT_EQ(remove("t", "k"), "");
    EXPECT_THAT(leftovers(), IsEmpty());
    EXPECT_EQ(remove("t", "k"), "") << "there is nothing";
    make("DROP TABLE IF EXISTS t; DROP TABLE IF EXISTS u");
  }
}

TEST_F(SqliteRemoveTest, NamesTheSlotOfAnotherName) {
  make("CREATE TABLE t(k, l)");
  follow("t", "k");
  make("ALTER TABLE t RENAME TO u");
  EXPECT_THAT(remove("u", "k"), HasSubstr("--slot names: \"t.k\""));
  EXPECT_THAT(leftovers(), Not(IsEmpty()));
  EXPECT_EQ(remove("u", "k", "t.k"), "");
  EXPECT_THAT(leftovers(), IsEmpty());
}

TEST_F(SqliteRemoveTest, LeavesASlotThatFollowsAnotherColumn) {
  make("CREATE TABLE t(k, l)");
  follow("t", "k", "ours");
  EXPECT_THROW(remove("t", "l", "ours"), std::invalid_argument);
  EXPECT_THROW(remove("nothing", "l", "ours"), std::invalid_argument);
  EXPECT_THAT(leftovers(), Not(IsEmpty()));
  // Following another column takes over what follows none.
  make("ALTER TABLE t RENAME COLUMN k TO m");
  follow("t", "m", "ours");
  EXPECT_EQ(remove("t", "m", "ours"), "");
  EXPECT_THAT(leftovers(), IsEmpty());
}

}  // namespace
}  // namespace bloomery
