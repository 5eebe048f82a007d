// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/mariadb/logged_key.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "bloomery/source/open_source.h"
#include "followed.h"
#include "one_server.h"

namespace bloomery {
namespace {

std::string hex_literal(const std::string& bytes) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string literal = "x'";
  for (const char c : bytes) {
    literal += kDigits[static_cast<unsigned char>(c) >> 4];
    literal += kDigits[static_cast<unsigned char>(c) & 15];
  }
  return literal + "'";
}

class Values {
 public:
  std::string integer(int bits, bool is_signed) {
    const std::uint64_t any = random_() >> (64 - bits);
    const std::uint64_t top = std::uint64_t{1} << (bits - 1);
    const std::uint64_t value = draw(4) == 0 ? (draw(2) == 0 ? top : top - 1) : any;
    if (!is_signed) return std::to_string(value);
    return std::to_string(static_cast<std::int64_t>(value << (64 - bits)) >> (64 - bits));
  }
  std::string bytes(std::size_t most) {
    std::string text(draw(most + 1), '\0');
    for (char& c : text) c = static_cast<char>(draw(3) == 0 ? 0 : draw(256));
    return hex_literal(text);
  }
  std::string latin1(std::size_t most) {
    return "CONVERT(_latin1 " + bytes(most) + " USING latin1)";
  }
  std::string utf8(std::size_t most) {
    const std::vector<std::string> pieces{"a", "Z", " ", "é", "漢", "\U0001F600", "7"};
    std::string text;
    for (std::size_t i = draw(most + 1); i > 0; --i) text += pieces[draw(pieces.size())];
    return "'" + text + "'";
  }
  std::size_t draw(std::size_t count) { return random_() % count; }

 private:
  std::mt19937_64 random_{20261122};
};

// Keys stand between columns of every other type, whose bytes must be stepped over.
TEST_F(MariadbTest, TheLogSpellsKeysAsAScanDoes) {
  run("CREATE TABLE t (a TINYINT, f1 DECIMAL(20,7), b SMALLINT UNSIGNED, f2 DATETIME(6), "
      "c MEDIUMINT, f3 ENUM('a','b'), d INT(9) ZEROFILL, f4 SET('x','y','z'), e BIGINT, f5 "
      "BIT(13), "
      "f BIGINT UNSIGNED, f6 DOUBLE, g CHAR(20) CHARACTER SET utf8mb4, f7 FLOAT, "
      "h CHAR(100) CHARACTER SET latin1, f8 TIME(3), i VARCHAR(300) CHARACTER SET utf8mb4, "
      "f9 TIMESTAMP(2) NULL, j VARCHAR(60) CHARACTER SET latin1, f10 YEAR, k BINARY(7), f11 DATE, "
      "l VARBINARY(300), f12 JSON, m TEXT CHARACTER SET utf8mb4, f13 POINT, n BLOB, f14 UUID, "
      "o CHAR(255) CHARACTER SET utf8mb4, f15 INET6, p MEDIUMINT UNSIGNED, f16 INT AS (a + 1) "
      "VIRTUAL, q LONGTEXT CHARACTER SET latin1, f17 DECIMAL(65,0), r VARCHAR(9) CHARACTER SET "
      "ascii, f18 DATETIME NULL, s TINYINT UNSIGNED)");
  const std::string columns = "abcdefghijklmnopqrs";
  std::vector<std::unique_ptr<Followed>> followed;
  for (const char column : columns) {
    followed.push_back(std::make_unique<Followed>(the_server().location("t", {column})));
    EXPECT_FALSE(followed.back()->source().start(std::nullopt));
  }
  Values values;
  const std::string names =
      "a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,f1,f2,f3,f4,f5,f6,f7,f8,f9,f10,"
      "f11,f12,f13,f14,f15,f17,f18";
  std::string rows;
  for (int row = 0; row < 150; ++row) {
    const std::vector<std::string> keys{
        values.integer(8, true),   values.integer(16, false), values.integer(24, true),
        values.integer(29, false), values.integer(64, true),  values.integer(64, false),
        values.utf8(20),           values.latin1(100),        values.utf8(300),
        values.latin1(60),         values.bytes(7),           values.bytes(300),
        values.utf8(400),          values.bytes(600),         values.utf8(255),
        values.integer(24, false), values.latin1(700),        values.draw(2) == 0 ? "'x'" : "'y '",
        values.integer(8, false)};
    const std::vector<std::string> others{
        "-1234567890123.7654321",
        "'2026-11-22 10:11:12.123456'",
        "'b'",
        "'x,z'",
        "b'1010101010101'",
        "3.25",
        "1.5",
        "'-12:13:14.567'",
        "'2026-11-22 10:11:12.13'",
        "2026",
        "'2026-11-22'",
        "'{\"a\": 1}'",
        "POINT(1, 2)",
        "'123e4567-e89b-12d3-a456-426655440000'",
        "'::1'",
        "99999999999999999999999999999999999999999999999999999999999999999",
        "NOW()"};
    rows += row == 0 ? "(" : ",(";
    for (const auto& key : keys) rows += (values.draw(10) == 0 ? "NULL" : key) + ",";
    for (const auto& other : others) rows += (values.draw(3) == 0 ? "NULL" : other) + ",";
    rows.back() = ')';
  }
  run("SET sql_mode = ''; INSERT INTO t (" + names + ") VALUES " + rows);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    followed[i]->catch_up();
    const auto source = open_source(the_server().location("t", {columns[i]}), {});
    const auto scanned = keys_of(*source);
    EXPECT_EQ(followed[i]->keys(),
              (std::set<std::string, std::less<>>(scanned.begin(), scanned.end())))
        << columns[i];
    EXPECT_GT(scanned.size(), 100U);
  }
}

}  // namespace
}  // namespace bloomery
