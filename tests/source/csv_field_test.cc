// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/csv_field.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "source_helpers.h"

namespace bloomery {
namespace {

using testing::HasSubstr;

std::string field(std::string_view record, std::uint32_t number) {
  std::string room;
  return std::string(csv_field(record, ",", number, room));
}

TEST(CsvField, IsWhatStandsBetweenDelimiters) {
  EXPECT_EQ(field("a,b,c", 1), "a");
  EXPECT_EQ(field("a,b,c", 3), "c");
  EXPECT_EQ(field("a,,c", 2), "");
  EXPECT_EQ(field("a,b,", 3), "");
  EXPECT_EQ(field("", 1), "");
  EXPECT_EQ(field("a,b\r", 2), "b");
}

TEST(CsvField, MayStandInQuotesAndThenHoldAnything) {
  EXPECT_EQ(field("\"a,b\",c", 1), "a,b");
  EXPECT_EQ(field("\"a,b\",c", 2), "c");
  EXPECT_EQ(field("x,\"say \"\"yes\"\"\"", 2), "say \"yes\"");
  EXPECT_EQ(field("\"\"\"\",c", 1), "\"");
  EXPECT_EQ(field("\"\",c", 1), "");
  EXPECT_EQ(field("\"two\r\nlines\",c\r", 1), "two\r\nlines");
  EXPECT_EQ(field("x,\"y\"\r", 2), "y");
}

TEST(CsvField, HoldsQuotesThatItDoesNotBeginWith) {
  EXPECT_EQ(field("5\" disk,c", 1), "5\" disk");
  EXPECT_EQ(field("5\" disk,c", 2), "c");
  EXPECT_EQ(field("a, \"b\"", 2), " \"b\"");
  EXPECT_EQ(field("x\\\"y,z", 2), "z");
}

TEST(CsvField, IsNotGuessedFromQuotesThatTheRulesDoNotHave) {
  const auto refused = [](std::string_view record, std::uint32_t number) {
    return message_of<std::invalid_argument>([&] { field(record, number); });
  };
  EXPECT_THAT(refused("\"a\"b,c", 1), HasSubstr("behind the quotes of field 1"));
  EXPECT_THAT(refused("\"a,b", 1), HasSubstr("a quote that nothing closes"));
  EXPECT_THAT(refused("a,b", 3), HasSubstr("has no field 3, only 2"));
}

}  // namespace
}  // namespace bloomery
