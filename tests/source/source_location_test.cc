// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/source_location.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "bloomery/text/percent.h"
#include "source_helpers.h"

namespace bloomery {
namespace {

using testing::HasSubstr;
using Kind = SourceLocation::Kind;
using namespace std::string_literals;

TEST(SourceLocation, NamesATextAsItIs) {
  for (const char* path : {"keys.txt", "/a/b c", "100%.txt", "a:b", "./sqlite:x", "?"}) {
    const auto location = parse_source_location(path);
    EXPECT_EQ(location.kind, Kind::text);
    EXPECT_EQ(location.path, path);
  }
  EXPECT_EQ(parse_source_location("-").kind, Kind::standard_input);
}

TEST(SourceLocation, NamesAColumn) {
  for (const char* text :
       {"sqlite:shop.db?table=users&column=id", "sqlite:shop.db?column=id&table=users",
        "sqlite:shop.db?table=users&column=id&"}) {
    const auto location = parse_source_location(text);
    EXPECT_EQ(location.kind, Kind::sqlite);
    EXPECT_EQ(location.path, "shop.db");
    EXPECT_EQ(location.selection.table, "users");
    EXPECT_EQ(location.selection.column, "id");
    EXPECT_EQ(location.selection.query, "");
  }
}

TEST(SourceLocation, DecodesPercents) {
  const auto location = parse_source_location("sqlite:a%3Fb%25.db?table=x%26y%3d&column=%e7%94%a8");
  EXPECT_EQ(location.path, "a?b%.db");
  EXPECT_EQ(location.selection.table, "x&y=");
  EXPECT_EQ(location.selection.column, "用");
}

TEST(SourceLocation, TakesAQueryEscapedOrAsItIs) {
  const auto query = [](const std::string& text) {
    return parse_source_location("sqlite:shop.db?query=" + text).selection.query;
  };
  EXPECT_EQ(query("select%20id%20from%20users"), "select id from users");
  EXPECT_EQ(query("select id from users where a&b=1?2"), "select id from users where a&b=1?2");
  EXPECT_EQ(query("select id from t where v like '%ab%'"), "select id from t where v like '%ab%'");
}

// "No such file" would send people to look for a file.
TEST(SourceLocation, IsNoFileWhereItNamesAnotherDatabase) {
  for (const char* const text : {"mysql:shop.users.id", "pg:host=db", "postgres:shop",
                                 "jdbc:mysql://db/shop", "redis:users"}) {
    const auto message = message_of<std::invalid_argument>([&] { parse_source_location(text); });
    EXPECT_THAT(message, HasSubstr("of no kind that keys can be read from")) << text;
    EXPECT_THAT(message, HasSubstr("./" + std::string(text)));
  }
}

TEST(SourceLocation, SaysWhatIsWrongAndWhatIsAllowed) {
  const auto refused = [](const std::string& text) {
    return message_of<std::invalid_argument>([&] { parse_source_location(text); });
  };
  EXPECT_THAT(refused(""),
              HasSubstr("names no source; allowed: FILE, - (standard input), sqlite:"));
  EXPECT_THAT(refused("sqlite:"), HasSubstr("names no file"));
  EXPECT_THAT(refused("sqlite:?table=a&column=b"), HasSubstr("names no file"));
  EXPECT_THAT(refused("sqlite:a.db"), HasSubstr("must say a table and a column, or a query"));
  EXPECT_THAT(refused("sqlite:a.db?table=a"), HasSubstr("must say a table and a column"));
  EXPECT_THAT(refused("sqlite:a.db?column=a"), HasSubstr("must say a table and a column"));
  EXPECT_THAT(refused("sqlite:a.db?table=a&query=b"), HasSubstr("must say a table and a column"));
  EXPECT_THAT(refused("sqlite:a.db?table=a&table=b&column=c"), HasSubstr("says table twice"));
  EXPECT_THAT(refused("sqlite:a.db?table=&column=c"), HasSubstr("says no table"));
  EXPECT_THAT(refused("sqlite:a.db?query="), HasSubstr("says no query"));
  EXPECT_THAT(refused("sqlite:a.db?tabel=a"), HasSubstr("\"tabel\" that means nothing"));
  EXPECT_THAT(refused("sqlite:a.db?table=%4&column=c"), HasSubstr("two hexadecimal digits"));
  EXPECT_THAT(refused("sqlite:a%00.db?table=a&column=c"), HasSubstr("NUL byte"));
  EXPECT_THAT(refused("a\0b"s), HasSubstr("NUL byte"));
}

TEST(PercentDecode, TakesEveryByte) {
  EXPECT_EQ(percent_decode("%00%fF%25+"), "\0\xff%+"s);
  for (const char* text : {"%", "a%2", "%zz", "%%", "% 2"}) {
    EXPECT_THROW(percent_decode(text), std::invalid_argument) << text;
  }
}

}  // namespace
}  // namespace bloomery
