// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/mariadb/mariadb_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/source/open_source.h"
#include "one_server.h"

namespace bloomery {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

TEST_F(MariadbTest, EveryRowIsReadOnceAndNullsAreCounted) {
  run("CREATE TABLE users (id INT PRIMARY KEY, name VARCHAR(20));"
      "INSERT INTO users SELECT seq, IF(seq % 10 = 0, NULL, CONCAT('user', seq)) "
      "FROM seq_1_to_20000");
  MariadbSource source(location("users", "name"), {});
  EXPECT_EQ(source.expected_count(), 20000U);
  std::vector<std::string> keys;
  const SourceTotals totals = source.for_each_batch([&](const Batch& batch) {
    keys.insert(keys.end(), batch.keys.begin(), batch.keys.end());
    return true;
  });
  EXPECT_EQ(totals.key_count, 18000U);
  EXPECT_EQ(totals.null_count, 2000U);
  std::vector<std::string> wanted;
  for (int i = 1; i <= 20000; ++i) {
    if (i % 10 != 0) wanted.push_back("user" + std::to_string(i));
  }
  std::ranges::sort(keys);
  std::ranges::sort(wanted);
  EXPECT_EQ(keys, wanted);
}

TEST_F(MariadbTest, TextsAreUtf8AndBinariesAreAsTheyAre) {
  run("CREATE TABLE t (a VARCHAR(9) CHARACTER SET latin1, b CHAR(9) CHARACTER SET utf16, "
      "c BINARY(4), d VARBINARY(9), e INT(5) ZEROFILL, f BIGINT UNSIGNED, g BIGINT);"
      "INSERT INTO t VALUES ('é', 'ü ', 'ab', x'00ff20', 42, 18446744073709551615, -7)");
  const auto only = [](const std::string& column) {
    MariadbSource source(location("t", column), {});
    return keys_of(source);
  };
  EXPECT_THAT(only("a"), ElementsAre("é"));
  EXPECT_THAT(only("b"), ElementsAre("ü"));
  EXPECT_THAT(only("c"), ElementsAre(std::string("ab\0\0", 4)));
  EXPECT_THAT(only("d"), ElementsAre(std::string("\0\xff ", 3)));
  EXPECT_THAT(only("e"), ElementsAre("42"));
  EXPECT_THAT(only("f"), ElementsAre("18446744073709551615"));
  EXPECT_THAT(only("g"), ElementsAre("-7"));
}

TEST_F(MariadbTest, IsOpenedByItsLocation) {
  run("CREATE TABLE users (id INT); INSERT INTO users VALUES (7)");
  const auto source = open_source(the_server().location("users", "id"), {});
  EXPECT_THAT(keys_of(*source), ElementsAre("7"));
}

TEST_F(MariadbTest, KeysAreEncodedAsAsked) {
  run("CREATE TABLE t (id INT ZEROFILL, name VARCHAR(9)); INSERT INTO t VALUES (258, ' ANN')");
  SourceOptions numbers;
  numbers.encoding = KeyEncoding::u64;
  MariadbSource ids(location("t", "id"), numbers);
  EXPECT_THAT(keys_of(ids), ElementsAre(std::string("\2\1\0\0\0\0\0\0", 8)));
  SourceOptions lower;
  lower.normalise = Normalise::lower | Normalise::trim;
  MariadbSource names(location("t", "name"), lower);
  EXPECT_THAT(keys_of(names), ElementsAre("ann"));
  MariadbSource wrong(location("t", "name"), numbers);
  EXPECT_THAT(message_of<std::invalid_argument>([&] { keys_of(wrong); }), HasSubstr("row 1 read"));
}

TEST_F(MariadbTest, AQueryIsOneSelectOfOneColumn) {
  run("CREATE TABLE t (id INT); INSERT INTO t VALUES (1), (2)");
  MariadbSource source(query("SELECT id + 1 FROM t -- all of them"), {});
  EXPECT_EQ(source.expected_count(), 2U);
  EXPECT_THAT(keys_of(source), UnorderedElementsAre("2", "3"));
  const auto refusal = [](const std::string& sql) {
    return message_of<std::invalid_argument>([&] { MariadbSource(query(sql), {}); });
  };
  EXPECT_THAT(refusal("SELECT id, id FROM t"), HasSubstr("selects 2 columns"));
  EXPECT_THAT(refusal("DELETE FROM t"), HasSubstr("is refused"));
  EXPECT_THAT(refusal("SELECT id FROM t; DELETE FROM t"), HasSubstr("is refused"));
  EXPECT_THAT(refusal("SELECT id FROM t WHERE id = ?"), HasSubstr("has parameters"));
  EXPECT_THAT(refusal("DELETE FROM t RETURNING id"), HasSubstr("READ ONLY"));
  EXPECT_THAT(refusal("SET @a = 1"), HasSubstr("is no SELECT"));
  EXPECT_EQ(the_server().connect().ask("SELECT COUNT(*) FROM shop.t"), "2");
}

TEST_F(MariadbTest, WhatIsNotThereIsSaidWithWhatIs) {
  run("CREATE TABLE users (id INT, name TEXT)");
  const auto refusal = [](const std::string& table, const std::string& column) {
    return message_of<std::invalid_argument>([&] { MariadbSource(location(table, column), {}); });
  };
  EXPECT_THAT(refusal("user", "id"),
              HasSubstr("no table \"user\"; its tables and views: \"users\""));
  EXPECT_THAT(refusal("users", "nam"), HasSubstr("its columns: \"id\", \"name\""));
}

TEST_F(MariadbTest, APasswordIsNeverInAMessage) {
  run("CREATE OR REPLACE USER ann@localhost IDENTIFIED BY 'right'");
  const std::string rest = "/shop?table=t&column=id&socket=" + the_server().socket();
  const std::string message = message_of<StoreError>(
      [&] { MariadbSource(parse_server_location("mysql://ann:sesame@" + rest), {}); });
  EXPECT_THAT(message, HasSubstr("Access denied"));
  EXPECT_THAT(message, Not(HasSubstr("sesame")));
  EXPECT_THAT(message_of<std::invalid_argument>([&] {
                MariadbSource(parse_server_location("mysql://ann:sesame@" + rest + "&tsl=on"), {});
              }),
              AllOf(HasSubstr("means nothing"), Not(HasSubstr("sesame"))));
}

TEST_F(MariadbTest, APasswordComesFromAnOptionFileToo) {
  run("CREATE OR REPLACE USER ann@localhost IDENTIFIED BY 'right'; GRANT SELECT ON shop.* TO "
      "ann@localhost; CREATE TABLE t (id INT); INSERT INTO t VALUES (7)");
  const TemporaryFolder folder;
  const std::string file = folder.write("my.cnf", "[client]\npassword=right\n");
  MariadbSource source(parse_server_location("mysql://ann@/shop?table=t&column=id&socket=" +
                                             the_server().socket() + "&options=" + file),
                       {});
  EXPECT_THAT(keys_of(source), ElementsAre("7"));
}

TEST_F(MariadbTest, ADeadlineEndsAScanAndTheNextOneIsWhole) {
  run("CREATE TABLE t (id INT); INSERT INTO t SELECT seq FROM seq_1_to_1000");
  MariadbSource table(location("t", "id"), {});
  auto other = the_server().connect();
  other.run("LOCK TABLES shop.t WRITE");
  EXPECT_THROW(table.for_each_batch([](const Batch&) { return true; },
                                    CallContext::within(std::chrono::milliseconds(50))),
               CallAborted);
  other.run("UNLOCK TABLES");
  int batches = 0;
  table.for_each_batch([&](const Batch&) { return ++batches == 0; });
  EXPECT_EQ(batches, 1);
  EXPECT_EQ(keys_of(table).size(), 1000U);
}

TEST_F(MariadbTest, AServerThatIsSilentIsNotWaitedForLongerThanAllowed) {
  const testing::Listener silent;
  const std::string location = "mariadb://root@127.0.0.1:" + std::to_string(silent.port()) +
                               "/shop?table=t&column=id&timeout=50";
  EXPECT_THAT(message_of<StoreError>([&] { MariadbSource(parse_server_location(location), {}); }),
              HasSubstr("50 ms without a word"));
}

TEST_F(MariadbTest, AdviceSaysWhatTheCollationMakesEqual) {
  run("CREATE TABLE t (a VARCHAR(9) COLLATE utf8mb4_general_ci, b VARCHAR(9) COLLATE utf8mb4_bin, "
      "c VARCHAR(9) COLLATE utf8mb4_nopad_bin, d VARBINARY(9), e INT)");
  const auto advice = [](const std::string& column, KeyEncoding encoding = KeyEncoding::text) {
    SourceOptions options;
    options.encoding = encoding;
    return MariadbSource(location("t", column), options).equality_advice();
  };
  EXPECT_THAT(advice("a"), AllOf(HasSubstr("shop.t.a"), HasSubstr("ANN"), HasSubstr("'Ann '")));
  EXPECT_THAT(advice("b"), HasSubstr("PAD SPACE"));
  EXPECT_THAT(advice("c"), IsEmpty());
  EXPECT_THAT(advice("d"), IsEmpty());
  EXPECT_THAT(advice("e"), HasSubstr("'abc' stands for 0"));
  EXPECT_THAT(advice("e", KeyEncoding::i64), IsEmpty());
}

}  // namespace
}  // namespace bloomery
