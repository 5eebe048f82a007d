// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/source/mariadb/mariadb_rows.h"
#include "tests/source/source_helpers.h"
#include "the_mysql.h"

namespace bloomery {
namespace {

using Rows = MariadbRows::Rows;

class MysqlRowsTest : public MysqlTest {
 protected:
  static MariadbRows rows(const std::string& column, MariadbRowsOptions options = {}) {
    if (options.value.empty()) options.value = "t.n";
    return MariadbRows(at("t", column), options);
  }
  static Rows ask_rows(const MariadbRows& rows, const std::vector<std::string>& keys) {
    const std::vector<Key> views(keys.begin(), keys.end());
    return rows(views);
  }
};

TEST_F(MysqlRowsTest, ARowIsFoundByItsBytesAlone) {
  run("CREATE TABLE t (n INT, a VARCHAR(20) COLLATE utf8mb4_0900_ai_ci, b VARBINARY(9), "
      "c CHAR(9) CHARACTER SET latin1, d INT ZEROFILL, e VARCHAR(9) COLLATE utf8mb4_0900_bin, "
      "KEY (a)); SET NAMES utf8mb4;"
      "INSERT INTO t VALUES (1, 'ann', x'00ff', 'é', 7, 'Ann'), "
      "(0, 'O''Neil\\\\', x'', 'x', 0, 'Ann ')");
  EXPECT_EQ(ask_rows(rows("a"), {"ann", "ANN", "ann ", "Änn", "O'Neil\\", "\xff\xfe", "ann"}),
            (Rows{"1", {}, {}, {}, "0", {}, "1"}));
  EXPECT_EQ(ask_rows(rows("b"), {std::string("\0\xff", 2), "", "x"}), (Rows{"1", "0", {}}));
  EXPECT_EQ(ask_rows(rows("c"), {"é", "\xe9", "x", "漢"}), (Rows{"1", {}, "0", {}}));
  EXPECT_EQ(ask_rows(rows("d"), {"7", "0", "abc", "007", "7.0", "-1", "1 OR 1", ""}),
            (Rows{"1", "0", {}, {}, {}, {}, {}, {}}));
  EXPECT_EQ(ask_rows(rows("e"), {"Ann", "Ann ", "ann"}), (Rows{"1", "0", {}}));
}

TEST_F(MysqlRowsTest, RowsAreFoundByTheTypeThatTheColumnHasNow) {
  run("CREATE TABLE t (n INT, id INT PRIMARY KEY); INSERT INTO t VALUES (1, 7)");
  const MariadbRows loader = rows("id");
  EXPECT_EQ(ask_rows(loader, {"7", "abc", "007"}), (Rows{"1", {}, {}}));
  run("ALTER TABLE t MODIFY id VARCHAR(20); INSERT INTO t VALUES (2, 'abc'), (3, '007')");
  EXPECT_EQ(ask_rows(loader, {"7", "abc", "007", "none"}), (Rows{"1", "2", "3", {}}));
}

TEST_F(MysqlRowsTest, AWholeRowIsJson) {
  run("CREATE TABLE t (n INT, name VARCHAR(9), b BLOB, v VECTOR(2)); "
      "INSERT INTO t VALUES (1, 'ann', x'ff', STRING_TO_VECTOR('[1,2]'))");
  const MariadbRows loader(at("t", "n"));
  EXPECT_EQ(ask_rows(loader, {"1"}), (Rows{"{\"n\": 1, \"name\": \"ann\"}"}));
}

TEST_F(MysqlRowsTest, WhatFailsIsNeverNoSuchRow) {
  run("CREATE TABLE t (n INT PRIMARY KEY, f FLOAT); INSERT INTO t VALUES (1, 0.1)");
  const MariadbRows loader = rows("n");
  EXPECT_EQ(ask_rows(loader, {"1"}), (Rows{"1"}));
  EXPECT_THROW(ask_rows(rows("f"), {"0.1"}), StoreError);
  run("DROP TABLE t");
  EXPECT_THROW(ask_rows(loader, {"1"}), StoreError);
  EXPECT_THROW(ask_rows(rows("n"), {"1"}), StoreError);
}

TEST_F(MysqlRowsTest, AServerThatMayBeAReplicaIsNotBelieved) {
  run("CREATE TABLE t (n INT PRIMARY KEY); INSERT INTO t VALUES (1)");
  run("DROP USER IF EXISTS reader; CREATE USER reader; GRANT SELECT ON shop.t TO reader");
  MariadbRowsOptions options{.value = "t.n"};
  const std::string mine = "mysql://reader@/shop?table=t&column=n&socket=" + the_mysql().socket();
  EXPECT_THAT(message_of<StoreError>([&] { ask_rows(MariadbRows(mine, options), {"1"}); }),
              ::testing::HasSubstr("GRANT REPLICATION CLIENT"));
  options.allows_replica = true;
  EXPECT_EQ(ask_rows(MariadbRows(mine, options), {"1"}), (Rows{"1"}));
  run("CHANGE REPLICATION SOURCE TO SOURCE_HOST = 'nowhere.invalid'");
  EXPECT_THAT(message_of<StoreError>([&] { ask_rows(rows("n"), {"1"}); }),
              ::testing::HasSubstr("is a replica"));
  run("RESET REPLICA ALL");
  EXPECT_EQ(ask_rows(rows("n"), {"1"}), (Rows{"1"}));
}

}  // namespace
}  // namespace bloomery
