// SPDX-License-Identifier: Apache-2.0
#include "module/guard_arguments.h"

#include <gtest/gtest.h>

#include <string>

namespace bloomery::module {
namespace {

const std::string kLong(1000, '9');

TEST(GuardArguments, ALifeIsAtMostTwelveDigits) {
  EXPECT_EQ(parse_life("0", 0), 0);
  EXPECT_EQ(parse_life("0", 1), std::nullopt);
  EXPECT_EQ(parse_life("000000000007", 1), 7);
  EXPECT_EQ(parse_life("315360000000", 1), 315'360'000'000);
  for (const std::string& text :
       {std::string(), std::string("315360000001"), std::string("0000000000007"),
        std::string("18446744073709551617"), kLong, std::string("-1"), std::string("+1"),
        std::string(" 1"), std::string("1 "), std::string("1.5"), std::string("1\0", 2)}) {
    EXPECT_EQ(parse_life(text, 0), std::nullopt) << text;
  }
}

TEST(GuardArguments, AMomentIsThirteenDigits) {
  EXPECT_EQ(parse_moment("0000000000000"), 0);
  EXPECT_EQ(parse_moment("9999999999999"), 9'999'999'999'999);
  for (const std::string& text :
       {std::string(), std::string("999999999999"), std::string("00000000000000"), kLong,
        std::string("-000000000001"), std::string("+000000000001"), std::string("1.00000000000")}) {
    EXPECT_EQ(parse_moment(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace bloomery::module
