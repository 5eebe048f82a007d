// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/server_location.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "bloomery/source/source_location.h"
#include "source_helpers.h"

namespace bloomery {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using namespace std::string_literals;

TEST(ServerLocation, NamesAColumnOfATable) {
  const auto location = parse_server_location(
      "postgres://ann:p%40ss@db.example:5433/"
      "shop?sslmode=require&table=sales.users&column=a,b%2Cc");
  EXPECT_EQ(location.scheme, "postgres");
  EXPECT_EQ(location.user, "ann");
  EXPECT_EQ(location.password, "p@ss");
  EXPECT_EQ(location.host, "db.example");
  EXPECT_EQ(location.port, 5433);
  EXPECT_EQ(location.database, "shop");
  EXPECT_EQ(location.selection.schema, "sales");
  EXPECT_EQ(location.selection.table, "users");
  EXPECT_THAT(location.selection.columns, ElementsAre("a", "b,c"));
  EXPECT_EQ(location.settings.at("sslmode"), "require");
  EXPECT_EQ(location.name(), "postgres://ann@db.example:5433/shop?table=sales.users&column=a,b,c");
}

TEST(ServerLocation, LeavesOutWhatTheSystemKnows) {
  const auto location = parse_server_location("postgresql:///?table=a%2Eb&column=c");
  EXPECT_EQ(location.scheme, "postgres");
  EXPECT_EQ(location.host + location.user + location.password + location.database, "");
  EXPECT_EQ(location.port, 0);
  EXPECT_EQ(location.selection.schema, "");
  EXPECT_EQ(location.selection.table, "a.b");
  EXPECT_EQ(parse_server_location("mysql://[::1]:3307/d?table=a&column=c").host, "::1");
  EXPECT_EQ(parse_server_location("mariadb://h?table=a&column=c").host, "h");
}

TEST(ServerLocation, TakesAQueryEscapedOrAsItIs) {
  const auto query = [](const std::string& text) {
    return parse_server_location("postgres://h/d?host=/run&query=" + text).selection.query;
  };
  EXPECT_EQ(query("select%20id%20from%20users"), "select id from users");
  EXPECT_EQ(query("select id from t where a = '%ab' & x=1"),
            "select id from t where a = '%ab' & x=1");
}

TEST(ServerLocation, SaysWhatIsWrongAndNeverAPassword) {
  const auto refused = [](const std::string& rest) {
    const auto message = message_of<std::invalid_argument>(
        [&] { parse_server_location("postgres://ann:s3cret@" + rest); });
    EXPECT_THAT(message, AllOf(HasSubstr("allowed: postgres://"), Not(HasSubstr("s3cret"))));
    return message;
  };
  EXPECT_THAT(refused("h/d"), HasSubstr("must say a table and a column, or a query"));
  EXPECT_THAT(refused("h/d?table=a"), HasSubstr("must say a table and a column"));
  EXPECT_THAT(refused("h/d?table=a&column=b&query=c"), HasSubstr("must say a table and a column"));
  EXPECT_THAT(refused("h/d?table=a&table=b&column=c"), HasSubstr("says table twice"));
  EXPECT_THAT(refused("h/d?table=a.b.c&column=c"), HasSubstr("neither a nor schema.a"));
  EXPECT_THAT(refused("h/d?table=a&column=b,,c"), HasSubstr("an empty name in its column"));
  EXPECT_THAT(refused("h/d?table=a&column=b&x=1&x=2"), HasSubstr("says \"x\" twice"));
  EXPECT_THAT(refused("h/d?table=a&column=b&=2"), HasSubstr("a setting without a name"));
  EXPECT_THAT(refused("h/d?password=s3cret"), HasSubstr("belongs before the @"));
  EXPECT_THAT(refused("h:0/d?table=a&column=b"), HasSubstr("no port"));
  EXPECT_THAT(refused("h:70000/d?table=a&column=b"), HasSubstr("no port"));
  EXPECT_THAT(refused("h:1x/d?table=a&column=b"), HasSubstr("no port"));
  EXPECT_THAT(refused("[::1/d?table=a&column=b"), HasSubstr("a [ without its ]"));
  EXPECT_THAT(refused("h,i/d?table=a&column=b"), HasSubstr("a host that is none"));
  EXPECT_THAT(refused("h/d%4?table=a&column=b"), HasSubstr("two hexadecimal digits"));
  EXPECT_THAT(refused("h/d%00?table=a&column=b"), HasSubstr("a NUL byte"));
}

TEST(ServerLocation, IsASourceLocation) {
  const auto location = parse_source_location("postgres://h/d?table=a&column=b");
  EXPECT_EQ(location.kind, SourceLocation::Kind::postgres);
  EXPECT_TRUE(location.is_database());
  EXPECT_EQ(location.server.host, "h");
  EXPECT_FALSE(parse_source_location("postgres").is_database());
}

// Reports print it so: `load` said "from" with the password.
TEST(ServerLocation, NamesASourceWithoutItsPassword) {
  EXPECT_EQ(source_name("mysql://ann:s3cret@h:1/d?table=a&column=b&ca=f"),
            "mysql://ann@h:1/d?table=a&column=b");
  EXPECT_EQ(source_name("postgres://ann:s3cret@h/d?query=SELECT 1"), "postgres://ann@h/d");
  EXPECT_EQ(source_name("sqlite:shop.db?table=a&column=b"), "sqlite:shop.db?table=a&column=b");
  EXPECT_EQ(source_name("keys.txt"), "keys.txt");
}

}  // namespace
}  // namespace bloomery
