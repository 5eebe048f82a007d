// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "bloomery/errors.h"
#include "sqlite_fixture.h"

namespace bloomery {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST_F(SqliteTest, NeverMakesADatabase) {
  EXPECT_THAT(message_of<StoreError>([&] { column("t", "v"); }),
              AllOf(HasSubstr("shop.db"), HasSubstr("No such file or directory")));
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(SqliteTest, RefusesWhatIsNoFile) {
  const SqliteSelection selection{.table = "t", .column = "v", .query = {}};
  EXPECT_THAT(message_of<StoreError>([&] { SqliteSource(folder_.path(""), selection, {}); }),
              HasSubstr("Is a directory"));
  ASSERT_EQ(mkfifo(folder_.path("fifo").c_str(), 0600), 0);
  EXPECT_THROW(SqliteSource(folder_.path("fifo"), selection, {}), StoreError);
  EXPECT_THROW(SqliteSource(":memory:", selection, {}), StoreError);
  EXPECT_THROW(SqliteSource("", selection, {}), StoreError);
}

TEST_F(SqliteTest, RefusesAFileThatIsNoDatabase) {
  folder_.write("shop.db", "these are no pages of a database\n" + std::string(5'000, 'x'));
  EXPECT_THAT(message_of<FormatError>([&] { column("t", "v"); }),
              HasSubstr("shop.db: is no SQLite database"));
}

TEST_F(SqliteTest, AnEmptyFileIsADatabaseWithoutTables) {
  folder_.write("shop.db", "");
  EXPECT_THAT(message_of<std::invalid_argument>([&] { column("t", "v"); }),
              HasSubstr("has no table \"t\"; its tables and views: none"));
}

TEST_F(SqliteTest, SaysWhichTablesAndColumnsThereAre) {
  make("CREATE TABLE users(id, name); CREATE VIEW grown AS SELECT * FROM users");
  EXPECT_THAT(message_of<std::invalid_argument>([&] { column("user", "id"); }),
              HasSubstr(R"(has no table "user"; its tables and views: "grown", "users")"));
  EXPECT_THAT(message_of<std::invalid_argument>([&] { column("users", "ids"); }),
              HasSubstr(R"(table "users" has no column "ids"; its columns: "id", "name")"));
}

TEST_F(SqliteTest, WantsAColumnOrAQuery) {
  make("CREATE TABLE t(v)");
  for (const SqliteSelection& selection :
       {SqliteSelection{}, SqliteSelection{.table = "t", .column = {}, .query = {}},
        SqliteSelection{.table = {}, .column = "v", .query = {}},
        SqliteSelection{.table = "t", .column = "v", .query = "SELECT 1"}}) {
    EXPECT_THAT(message_of<std::invalid_argument>([&] { open(selection); }),
                HasSubstr("allowed: a table and a column, or a query"));
  }
  EXPECT_THROW(column(std::string("t\0x", 3), "v"), std::invalid_argument);
  EXPECT_THROW(column("t", "v", {.field = 1}), std::invalid_argument);
}

TEST_F(SqliteTest, SaysThatADatabaseIsLocked) {
  make("CREATE TABLE t(v)");
  WritableDatabase writer(path_);
  writer.run("BEGIN EXCLUSIVE");
  EXPECT_THAT(message_of<StoreError>([&] { column("t", "v", {.busy_timeout_ms = 20}); }),
              HasSubstr("shop.db: is locked by another process, and still was after 0.02 s"));
  writer.run("COMMIT");
  EXPECT_NO_THROW(column("t", "v", {.busy_timeout_ms = 20}));
}

TEST_F(SqliteTest, ReadsADatabaseInWriteAheadMode) {
  WritableDatabase writer(path_);
  writer.run("PRAGMA journal_mode=WAL; CREATE TABLE t(v); INSERT INTO t VALUES ('a')");
  auto values = column("t", "v");
  EXPECT_EQ(keys_of(values).size(), 1U);
  writer.run("INSERT INTO t VALUES ('b')");  // readers and a writer side by side
  EXPECT_EQ(keys_of(values).size(), 2U);
}

TEST_F(SqliteTest, SaysThatADatabaseIsDamaged) {
  make(
      "CREATE TABLE t(v);"
      "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c WHERE x<20000)"
      "INSERT INTO t SELECT 'key number ' || x FROM c");
  {
    // All pages after the first two.
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    const auto length = static_cast<std::streamoff>(std::filesystem::file_size(path_));
    const std::string garbage(static_cast<std::size_t>(length - 8192), '\xa5');
    file.seekp(8192);
    file.write(garbage.data(), static_cast<std::streamsize>(garbage.size()));
  }
  EXPECT_THAT(message_of<FormatError>([&] {
                auto values = column("t", "v");
                keys_of(values);
              }),
              HasSubstr("shop.db: is a damaged SQLite database"));
}

TEST_F(SqliteTest, SaysThatADatabaseIsCutShort) {
  make(
      "CREATE TABLE t(v);"
      "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c WHERE x<20000)"
      "INSERT INTO t SELECT 'key number ' || x FROM c");
  std::filesystem::resize_file(path_, std::filesystem::file_size(path_) / 2);
  EXPECT_THROW(
      {
        auto values = column("t", "v");
        keys_of(values);
      },
      FormatError);
}

}  // namespace
}  // namespace bloomery
