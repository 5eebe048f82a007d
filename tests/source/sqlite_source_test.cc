// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/sqlite_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "bloomery/errors.h"
#include "sqlite_fixture.h"

namespace bloomery {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using namespace std::string_literals;

// A table of `count` rows with ids from 1 and names "user:ID".
std::string users(int count) {
  return "CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT);"
         "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c WHERE x<" +
         std::to_string(count) + ") INSERT INTO users SELECT x, 'user:'||x FROM c;";
}

TEST_F(SqliteTest, GivesEveryKeyOfAColumnOnce) {
  make(users(5'000));
  auto names = column("users", "name");
  std::uint64_t next = 1;
  const SourceTotals totals = names.for_each_batch([&](const Batch& batch) {
    EXPECT_EQ(batch.first_record, next);
    EXPECT_EQ(batch.lines.data(), batch.keys.data());
    for (const Key key : batch.keys) EXPECT_EQ(key, "user:" + std::to_string(next++));
    return true;
  });
  EXPECT_EQ(totals.key_count, 5'000U);
  EXPECT_EQ(next, 5'001U);
}

TEST_F(SqliteTest, AKeyIsWhatTheColumnWouldPrint) {
  make(
      "CREATE TABLE t(v);"
      "INSERT INTO t VALUES (-9223372036854775808),(0),(1.5),(1e100),(2.0),('text'),"
      "(x'00ff'),(''),(x''),('a'||char(0)||'b')");
  auto values = column("t", "v");
  EXPECT_THAT(keys_of(values), ElementsAre("-9223372036854775808", "0", "1.5", "1.0e+100", "2.0",
                                           "text", "\x00\xff"s, "", "", "a\0b"s));
}

TEST_F(SqliteTest, IntegersAroundThirtyTwoBitsKeepAllTheirDigits) {
  make("CREATE TABLE t(v); INSERT INTO t VALUES (-1), (4294967295), (4294967296), (-4294967296)");
  auto values = column("t", "v");
  EXPECT_THAT(keys_of(values), ElementsAre("-1", "4294967295", "4294967296", "-4294967296"));
}

TEST_F(SqliteTest, KeysOfEveryLengthArriveWhole) {
  make(
      "CREATE TABLE t(v TEXT);"
      "WITH RECURSIVE c(x) AS (SELECT 0 UNION ALL SELECT x+1 FROM c WHERE x<300)"
      "INSERT INTO t SELECT substr(replace(hex(zeroblob(200)), '00', 'abc'), 1, x) FROM c;"
      "INSERT INTO t VALUES (replace(hex(zeroblob(100000)), '00', 'xyz')), ('end')");
  std::string abc;
  while (abc.size() < 300) abc += "abc";
  auto values = column("t", "v");
  const auto keys = keys_of(values);
  ASSERT_EQ(keys.size(), 303U);
  for (std::size_t i = 0; i <= 300; ++i) EXPECT_EQ(keys[i], abc.substr(0, i));
  EXPECT_EQ(keys[301].size(), 300'000U);
  EXPECT_EQ(keys[301].substr(299'997), "xyz");
  EXPECT_EQ(keys[302], "end");
}

TEST_F(SqliteTest, SkipsAndCountsNulls) {
  make("CREATE TABLE t(v); INSERT INTO t VALUES (NULL), ('a'), (NULL), ('b'), (NULL)");
  auto values = column("t", "v");
  std::vector<std::string> keys;
  const SourceTotals totals = values.for_each_batch([&](const Batch& batch) {
    keys.insert(keys.end(), batch.keys.begin(), batch.keys.end());
    return true;
  });
  EXPECT_THAT(keys, ElementsAre("a", "b"));
  EXPECT_EQ(totals.key_count, 2U);
  EXPECT_EQ(totals.null_count, 3U);
}

TEST_F(SqliteTest, IntegersBecomeEightBytes) {
  make("CREATE TABLE t(v); INSERT INTO t VALUES (1), (256), ('18446744073709551615')");
  auto values = column("t", "v", {.encoding = KeyEncoding::u64});
  EXPECT_THAT(keys_of(values),
              ElementsAre("\1\0\0\0\0\0\0\0"s, "\0\1\0\0\0\0\0\0"s, std::string(8, '\xff')));
}

TEST_F(SqliteTest, NegativeIntegersNeedI64) {
  make("CREATE TABLE t(v); INSERT INTO t VALUES (7), (NULL), (-1)");
  auto as_u64 = column("t", "v", {.encoding = KeyEncoding::u64});
  std::size_t before = 0;
  EXPECT_THAT(message_of<std::invalid_argument>([&] {
                as_u64.for_each_batch([&](const Batch& batch) {
                  before += batch.keys.size();
                  return true;
                });
              }),
              HasSubstr("shop.db: row 3 read: \"-1\" is not a u64"));
  EXPECT_EQ(before, 1U) << "the keys before the bad one";
  auto as_i64 = column("t", "v", {.encoding = KeyEncoding::i64});
  EXPECT_EQ(keys_of(as_i64).back(), std::string(8, '\xff'));
}

TEST_F(SqliteTest, TextIsDecodedAsInAFile) {
  make("CREATE TABLE t(v); INSERT INTO t VALUES ('6162'), (6364)");
  auto hex = column("t", "v", {.encoding = KeyEncoding::hex});
  EXPECT_THAT(keys_of(hex), ElementsAre("ab", "cd"));
}

TEST_F(SqliteTest, TextOfAUtf16DatabaseIsUtf8) {
  make("PRAGMA encoding='UTF-16le'; CREATE TABLE t(v); INSERT INTO t VALUES ('é'), ('用户'), ('')");
  auto values = column("t", "v");
  EXPECT_THAT(keys_of(values), ElementsAre("é", "用户", ""));
}

TEST_F(SqliteTest, AnyNameIsAName) {
  make(
      "CREATE TABLE \"select \"\"x\"\"; --'\"(\"a \"\"b\"\" [c]\"); "
      "INSERT INTO \"select \"\"x\"\"; --'\" VALUES ('k')");
  auto values = column("select \"x\"; --'", "a \"b\" [c]");
  EXPECT_EQ(values.expected_count(), 1U);
  EXPECT_THAT(keys_of(values), ElementsAre("k"));
}

TEST_F(SqliteTest, ReadsViewsAndTablesWithoutRowid) {
  make(
      "CREATE TABLE t(k TEXT PRIMARY KEY) WITHOUT ROWID; INSERT INTO t VALUES ('b'), ('a');"
      "CREATE VIEW v AS SELECT k || '!' AS k FROM t");
  auto table = column("t", "k");
  EXPECT_EQ(table.expected_count(), 2U);
  EXPECT_THAT(keys_of(table), ElementsAre("a", "b"));
  auto view = column("v", "k");
  EXPECT_EQ(view.expected_count(), 2U);
  EXPECT_THAT(keys_of(view), ElementsAre("a!", "b!"));
}

TEST_F(SqliteTest, AnEmptyTableHasNoKeys) {
  make("CREATE TABLE t(v)");
  auto values = column("t", "v");
  EXPECT_EQ(values.expected_count(), 0U);
  EXPECT_THAT(keys_of(values), testing::IsEmpty());
}

TEST_F(SqliteTest, CountsDenseTablesByTheirRange) {
  make(users(100'000) + "DELETE FROM users WHERE id % 1000 = 0");
  auto names = column("users", "name");
  EXPECT_EQ(names.expected_count(), 99'999U) << "the range of the ids, a little above the 99,900";
}

TEST_F(SqliteTest, CountsTablesWithGapsOneByOne) {
  make(users(100'000) + "DELETE FROM users WHERE id % 10 = 0");
  auto names = column("users", "name");
  EXPECT_EQ(names.expected_count(), 90'000U);
}

TEST_F(SqliteTest, CountsTablesOfHugeRangeOneByOne) {
  make(
      "CREATE TABLE t(id INTEGER PRIMARY KEY);"
      "INSERT INTO t VALUES (-9223372036854775808), (0), (9223372036854775807)");
  EXPECT_EQ(column("t", "id").expected_count(), 3U);
}

TEST_F(SqliteTest, AColumnNamedRowidIsNoRange) {
  make(
      "CREATE TABLE t(rowid TEXT);"
      "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c WHERE x<1000)"
      "INSERT INTO t SELECT 'k' || x FROM c");
  EXPECT_EQ(column("t", "rowid").expected_count(), 1'000U);
}

TEST_F(SqliteTest, StopsWhenTheConsumerHasEnough) {
  make(users(30'000));
  auto names = column("users", "name");
  int calls = 0;
  std::uint64_t handed = 0;
  const auto totals = names.for_each_batch([&](const Batch& batch) {
    handed += batch.keys.size();
    return ++calls < 2;
  });
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(totals.key_count, handed);
  EXPECT_LT(handed, 30'000U);
  EXPECT_EQ(keys_of(names).size(), 30'000U) << "another pass starts anew";
}

TEST_F(SqliteTest, CarriesWhatTheConsumerThrowsAcrossSqlite) {
  make(users(10'000));
  auto names = column("users", "name");
  int calls = 0;
  const auto message = message_of<StoreError>([&] {
    names.for_each_batch([&](const Batch&) -> bool {
      ++calls;
      throw StoreError("the disk is full");
    });
  });
  EXPECT_EQ(message, "the disk is full");
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(keys_of(names).size(), 10'000U);
}

}  // namespace
}  // namespace bloomery
