// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/column_equality.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sqlite_fixture.h"

namespace bloomery {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class ColumnEqualityTest : public SqliteTest {
 protected:
  void SetUp() override {
    make(
        "CREATE TABLE t(plain TEXT, bytes BLOB, any, folded TEXT COLLATE NOCASE,"
        " padded VARCHAR(9) COLLATE RTRIM, number INTEGER, price REAL, total DECIMAL(9,2));"
        "CREATE VIEW v AS SELECT folded AS name, 'x' || plain AS made FROM t");
  }
  std::string advice(const std::string& name, SourceOptions options = {}) {
    return column("t", name, std::move(options)).equality_advice();
  }
};

TEST_F(ColumnEqualityTest, IsSilentWhereEqualKeysHaveEqualBytes) {
  for (const char* const name : {"plain", "bytes", "any"}) EXPECT_EQ(advice(name), "") << name;
  EXPECT_EQ(column("v", "made").equality_advice(), "") << "nobody declared it";
}

TEST_F(ColumnEqualityTest, WarnsOfCollations) {
  EXPECT_THAT(advice("folded"), AllOf(HasSubstr("t.folded"), HasSubstr("--normalise lower")));
  EXPECT_THAT(advice("padded"), AllOf(HasSubstr("RTRIM"), HasSubstr("--normalise trim")));
  EXPECT_EQ(advice("folded", {.normalise = Normalise::lower}), "");
  EXPECT_EQ(advice("padded", {.normalise = Normalise::trim}), "");
  EXPECT_THAT(advice("padded", {.normalise = Normalise::lower}), HasSubstr("RTRIM"));
}

TEST_F(ColumnEqualityTest, WarnsOfNumbersThatAreWrittenInSeveralWays) {
  EXPECT_THAT(advice("number"), AllOf(HasSubstr("'007'"), HasSubstr("--normalise integer")));
  EXPECT_THAT(advice("total"), HasSubstr("--normalise integer"));
  EXPECT_THAT(advice("price"), HasSubstr("7.0"));
  EXPECT_EQ(advice("number", {.normalise = Normalise::integer}), "");
  EXPECT_EQ(advice("number", {.encoding = KeyEncoding::i64}), "") << "which reads 007 as 7";
}

TEST_F(ColumnEqualityTest, SeesThroughViewsAndQueries) {
  EXPECT_THAT(column("v", "name").equality_advice(), HasSubstr("t.folded"));
  EXPECT_THAT(query("SELECT folded FROM t WHERE number > 1").equality_advice(),
              HasSubstr("t.folded"));
}

TEST_F(ColumnEqualityTest, IsMadeUpForByTheNormalisation) {
  make(
      "INSERT INTO t(folded, price, number) VALUES"
      " ('Ann', 7, '007'), ('BOB', 8.0, 8), ('bob', 1e14, '+9')");
  using testing::ElementsAre;
  auto names = column("t", "folded", {.normalise = Normalise::lower});
  EXPECT_THAT(keys_of(names), ElementsAre("ann", "bob", "bob"));
  auto prices = column("t", "price", {.normalise = Normalise::integer});
  EXPECT_THAT(keys_of(prices), ElementsAre("7", "8", "100000000000000"));
  auto numbers =
      column("t", "number", {.encoding = KeyEncoding::i32, .normalise = Normalise::integer});
  using namespace std::string_literals;
  EXPECT_THAT(keys_of(numbers), ElementsAre("\7\0\0\0"s, "\x08\0\0\0"s, "\x09\0\0\0"s));
}

}  // namespace
}  // namespace bloomery
