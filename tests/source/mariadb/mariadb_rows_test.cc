// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/mariadb/mariadb_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "bloomery/errors.h"
#include "one_server.h"
#include "tests/support/forked.h"

namespace bloomery {
namespace {

using Rows = MariadbRows::Rows;

class MariadbRowsTest : public MariadbTest {
 protected:
  static MariadbRows rows(const std::string& column, MariadbRowsOptions options = {}) {
    if (options.value.empty()) options.value = "t.n";
    return MariadbRows(the_server().location("t", column), options);
  }
  static Rows ask(const MariadbRows& rows, const std::vector<std::string>& keys) {
    const std::vector<Key> views(keys.begin(), keys.end());
    return rows(views);
  }
};

TEST_F(MariadbRowsTest, ARowIsFoundByItsBytesAlone) {
  run("CREATE TABLE t (n INT, a VARCHAR(20) COLLATE utf8mb4_general_ci, b VARBINARY(9), "
      "c CHAR(9) CHARACTER SET latin1, d INT ZEROFILL, KEY (a));"
      "INSERT INTO t VALUES (1, 'ann', x'00ff', 'é', 7), (0, 'O''Neil\\\\', x'', 'x', 0)");
  EXPECT_EQ(ask(rows("a"), {"ann", "ANN", "ann ", "O'Neil\\", "none", "\xff\xfe", "ann"}),
            (Rows{"1", {}, {}, "0", {}, {}, "1"}));
  EXPECT_EQ(ask(rows("b"), {std::string("\0\xff", 2), "", "x"}), (Rows{"1", "0", {}}));
  EXPECT_EQ(ask(rows("c"), {"é", "\xe9", "x", "漢"}), (Rows{"1", {}, "0", {}}));
  EXPECT_EQ(ask(rows("d"), {"7", "0", "abc", "007", "7.0", "-1", "1 OR 1", ""}),
            (Rows{"1", "0", {}, {}, {}, {}, {}, {}}));
  MariadbRowsOptions numbers;
  numbers.encoding = KeyEncoding::i64;
  EXPECT_EQ(ask(rows("d", numbers), {std::string("\7\0\0\0\0\0\0\0", 8), "7"}), (Rows{"1", {}}));
}

TEST_F(MariadbRowsTest, ManyKeysAndManyThreadsAreAnswered) {
  run("CREATE TABLE t (n INT PRIMARY KEY); INSERT INTO t SELECT seq * 2 FROM seq_1_to_2000");
  MariadbRowsOptions few;
  few.connections = 2;
  const MariadbRows loader = rows("n", few);
  std::atomic<int> wrong = 0;
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      std::vector<std::string> keys;
      for (int i = 1; i <= 2500; ++i) keys.push_back(std::to_string(i));
      const Rows answers = ask(loader, keys);
      for (std::size_t i = 0; i < keys.size(); ++i) {
        const bool is_right = (i + 1) % 2 == 0 ? answers[i] == keys[i] : !answers[i];
        if (!is_right) ++wrong;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(wrong, 0);
}

TEST_F(MariadbRowsTest, RowsAreFoundByTheTypeThatTheColumnHasNow) {
  run("CREATE TABLE t (n INT, id INT PRIMARY KEY); INSERT INTO t VALUES (1, 7)");
  const MariadbRows loader = rows("id");
  EXPECT_EQ(ask(loader, {"7", "abc", "007"}), (Rows{"1", {}, {}}));
  run("ALTER TABLE t MODIFY id VARCHAR(20); INSERT INTO t VALUES (2, 'abc'), (3, '007')");
  EXPECT_EQ(ask(loader, {"7", "abc", "007", "none"}), (Rows{"1", "2", "3", {}}));
}

TEST_F(MariadbRowsTest, RowsAreFoundWhateverBecameOfTheirCharacterSet) {
  const std::string letter = "\xc3\xa9";  // in utf8mb4
  const std::string byte = "\xe9";        // in latin1, where it is no text of utf8mb4
  run("CREATE TABLE t (n INT, id VARBINARY(20) PRIMARY KEY)");
  const MariadbRows loader = rows("id");
  EXPECT_EQ(ask(loader, {letter, byte}), (Rows{{}, {}}));
  run("ALTER TABLE t MODIFY id VARCHAR(20) CHARACTER SET latin1 COLLATE latin1_bin");
  run("SET NAMES utf8mb4; INSERT INTO t VALUES (1, '" + letter + "')");
  EXPECT_EQ(ask(loader, {letter, byte}), (Rows{"1", {}}));
  for (const std::string set :
       {"utf8mb4 COLLATE utf8mb4_general_ci", "latin1", "utf16", "utf8mb3"}) {
    run("ALTER TABLE t CONVERT TO CHARACTER SET " + set);
    EXPECT_EQ(ask(loader, {letter, byte, "e", "E"}), (Rows{"1", {}, {}, {}})) << set;
  }
  run("ALTER TABLE t MODIFY id VARBINARY(20); INSERT INTO t VALUES (2, x'e9')");
  EXPECT_EQ(ask(loader, {letter, byte}), (Rows{"1", "2"}));
}

// Processes of one session would read what another was answered.
TEST_F(MariadbRowsTest, AChildOfAForkHasSessionsOfItsOwn) {
  run("CREATE TABLE t (n INT PRIMARY KEY); INSERT INTO t SELECT seq FROM seq_0_to_9");
  const MariadbRows loader = rows("n");
  EXPECT_TRUE(testing::answers_in_each_process([&](int process) {
    const std::string key = std::to_string(process);
    return ask(loader, {key}) == Rows{key} && ask(loader, {"77"}) == Rows{std::nullopt};
  }));
}

TEST_F(MariadbRowsTest, WhatFailsIsNeverNoSuchRow) {
  run("CREATE TABLE t (n INT PRIMARY KEY, f FLOAT); INSERT INTO t VALUES (1, 0.1)");
  const MariadbRows loader = rows("n");
  EXPECT_EQ(ask(loader, {"1"}), (Rows{"1"}));
  auto session = the_server().connect("root", "shop");
  session.run("LOCK TABLES t WRITE");
  const std::vector<Key> keys{"1"};
  EXPECT_THROW(loader(keys, CallContext::within(std::chrono::milliseconds(50))), CallAborted);
  session.run("UNLOCK TABLES");
  EXPECT_EQ(ask(loader, {"1"}), (Rows{"1"}));
  // All sessions but this one are cut, and made anew.
  const std::string others = session.ask(
      "SELECT GROUP_CONCAT(CONCAT('KILL ', ID) SEPARATOR ';') FROM information_schema.PROCESSLIST "
      "WHERE USER = 'root' AND ID <> CONNECTION_ID()");
  session.run(others);
  EXPECT_EQ(ask(loader, {"1"}), (Rows{"1"}));
  EXPECT_THROW(ask(rows("f"), {"0.1"}), StoreError);
  run("DROP TABLE t");
  EXPECT_THROW(ask(loader, {"1"}), StoreError);
  EXPECT_THROW(ask(rows("n"), {"1"}), StoreError);
  EXPECT_THROW(MariadbRows("mariadb://h/d?query=SELECT 1"), std::invalid_argument);
}

TEST_F(MariadbRowsTest, AWholeRowIsJson) {
  run("CREATE TABLE t (n INT, name VARCHAR(9), b BLOB); INSERT INTO t VALUES (1, 'ann', x'ff')");
  const MariadbRows loader(the_server().location("t", "n"));
  EXPECT_EQ(ask(loader, {"1"}), (Rows{"{\"n\": 1, \"name\": \"ann\"}"}));
}

}  // namespace
}  // namespace bloomery
