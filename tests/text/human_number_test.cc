// SPDX-License-Identifier: Apache-2.0
#include "bloomery/text/human_number.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "bloomery/text/grouped.h"
#include "bloomery/text/human_bytes.h"
#include "tests/source/source_helpers.h"

namespace bloomery {
namespace {

using testing::HasSubstr;

TEST(ParseCount, ReadsWhatPeopleWrite) {
  EXPECT_EQ(parse_count("0"), 0U);
  EXPECT_EQ(parse_count("007"), 7U);
  EXPECT_EQ(parse_count("250000"), 250'000U);
  EXPECT_EQ(parse_count("100_000"), 100'000U);
  EXPECT_EQ(parse_count("10M"), 10'000'000U);
  EXPECT_EQ(parse_count("10m"), 10'000'000U);
  EXPECT_EQ(parse_count("3k"), 3'000U);
  EXPECT_EQ(parse_count("1.5G"), 1'500'000'000U);
  EXPECT_EQ(parse_count("0.001T"), 1'000'000'000U);
  EXPECT_EQ(parse_count("1e6"), 1'000'000U);
  EXPECT_EQ(parse_count("2.5E+3"), 2'500U);
  EXPECT_EQ(parse_count("1000e-3"), 1U);
  EXPECT_EQ(parse_count("1.000"), 1U);
  EXPECT_EQ(parse_count("0e999999999999"), 0U);
}

TEST(ParseCount, IsExactToTheLastKey) {
  EXPECT_EQ(parse_count("18446744073709551615"), 18446744073709551615U);
  EXPECT_EQ(parse_count("18446744.073709551615T"), 18446744073709551615U);
  EXPECT_EQ(parse_count("9007199254740993"), 9007199254740993U);  // no double is that
}

TEST(ParseCount, RefusesWhatIsNoCount) {
  for (const char* text :
       {"",     " ",   "-1",  "-0",    "+1",    "nan",  "inf",    "M",    ".5M",
        "1.",   "1.M", "1 M", "1MM",   "1e",    "1e+",  "1e1.5",  "0x10", "1e3K",
        "1__0", "_1",  "1_",  "1_.0M", "1\xc3", "1,5M", "1.5.1M", "ten",  "1P"}) {
    EXPECT_THROW(parse_count(text), std::invalid_argument) << text;
  }
}

TEST(ParseCount, SaysWhatIsWrongAndWhatIsAllowed) {
  const auto refused = [](const char* text) {
    return message_of<std::invalid_argument>([&] { parse_count(text); });
  };
  EXPECT_THAT(refused("-5"), HasSubstr("\"-5\" is negative; write a whole number such as 250000"));
  EXPECT_THAT(refused("1.5"), HasSubstr("is not whole"));
  EXPECT_THAT(refused("1e-1"), HasSubstr("is not whole"));
  EXPECT_THAT(refused("1.0005K"), HasSubstr("is not whole"));
  for (const char* text : {"18446744073709551616", "1e20", "1e30", "1e99999999999", "99999999T"}) {
    EXPECT_THAT(refused(text), HasSubstr("is more than 18446744073709551615")) << text;
  }
}

TEST(ParseCount, Computes) {
  EXPECT_EQ(parse_count("900*1000000"), 900'000'000U);
  EXPECT_EQ(parse_count("900 * 1M"), 900'000'000U);
  EXPECT_EQ(parse_count("2+3*4"), 14U);
  EXPECT_EQ(parse_count("(2+3)*4"), 20U);
  EXPECT_EQ(parse_count("20-5-5"), 10U);
  EXPECT_EQ(parse_count("100/10/2"), 5U);
  EXPECT_EQ(parse_count("2^3^2"), 512U);
  EXPECT_EQ(parse_count("2^63+(2^63-1)"), ~std::uint64_t{0});
  EXPECT_EQ(parse_count("1e3-1"), 999U);
  EXPECT_EQ(parse_count("1G-1"), 999'999'999U);
  EXPECT_EQ(parse_count("2*1e-0"), 2U);
  EXPECT_EQ(parse_count("1^99999999999"), 1U);
  EXPECT_EQ(parse_count("0^0"), 1U);
  EXPECT_EQ(parse_count("0^5"), 0U);
}

TEST(ParseCount, PointsAtWhatIsWrong) {
  const auto refused = [](const std::string& text) {
    return message_of<std::invalid_argument>([&] { parse_count(text); });
  };
  EXPECT_THAT(refused("900*x"),
              HasSubstr("\"900*x\": \"x\", at character 5, is not a count; write"));
  EXPECT_THAT(refused("900*"), HasSubstr(": its end, at character 5, is not a count"));
  EXPECT_THAT(refused("2*1.5*3"), HasSubstr(": \"1.5\", at character 3, is not whole"));
  EXPECT_THAT(refused("7+(1+2"), HasSubstr(": its end, at character 7, is not a count, where a )"));
  EXPECT_THAT(refused("1+2)"), HasSubstr(": \")\", at character 4, is not a count"));
  EXPECT_THAT(refused("1+(2-3)"), HasSubstr(": \"2-3\", at character 4, is negative"));
  EXPECT_THAT(refused("7/2"), HasSubstr("\"7/2\" is not whole"));
  EXPECT_THAT(refused("10 "), HasSubstr(": \" \", at character 3, is not a count"));
  EXPECT_THAT(refused("7/(1-1)"), HasSubstr("is divided by nothing"));
  EXPECT_THAT(refused("1+10T*10T"),
              HasSubstr(": \"10T*10T\", at character 3, is more than 18446744"));
  for (const char* text : {"2^64", "2^63*2", "18446744073709551615+1", "10^20", "3^2^99"}) {
    EXPECT_THAT(refused(text), HasSubstr("is more than 18446744073709551615")) << text;
  }
  EXPECT_THAT(refused(std::string(5000, '(')), HasSubstr("is too deep in brackets"));
  std::string tower = "1";
  for (int i = 0; i < 5000; ++i) tower += "^1";
  EXPECT_THAT(refused(tower), HasSubstr("is too deep in brackets"));
}

TEST(ParseDuration, TakesWholeNumbersWithAUnit) {
  EXPECT_EQ(parse_duration_ms("500ms"), 500U);
  EXPECT_EQ(parse_duration_ms("90s"), 90'000U);
  EXPECT_EQ(parse_duration_ms("15m"), 900'000U);
  EXPECT_EQ(parse_duration_ms("24h"), 86'400'000U);
  EXPECT_EQ(parse_duration_ms("7d"), 604'800'000U);
  EXPECT_EQ(parse_duration_ms("2w"), 1'209'600'000U);
  EXPECT_EQ(parse_duration_ms("0s"), 0U);
  EXPECT_EQ(parse_duration_ms("18446744073709551615ms"), ~std::uint64_t{0});
}

TEST(ParseDuration, RefusesTheRest) {
  for (const char* text :
       {"", "s", "ms", "90", "-1s", "+1s", "1.5h", "1 s", "1S", "1y", "1e3s", "1hs",
        "18446744073709551616ms", "18446744073709551615s", "99999999999999999999999999999d"}) {
    EXPECT_THROW(parse_duration_ms(text), std::invalid_argument) << text;
  }
}

TEST(FormatDuration, TakesTheLargestWholeUnit) {
  for (const char* text : {"0ms", "1ms", "1001ms", "90s", "15m", "25h", "1d", "8d", "2w"}) {
    EXPECT_EQ(format_duration_ms(parse_duration_ms(text)), text);
  }
  EXPECT_EQ(format_duration_ms(3'600'000), "1h");
}

TEST(FormatCount, KeepsOneDecimalAndRounds) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(1'000), "1K");
  EXPECT_EQ(format_count(1'049), "1K");
  EXPECT_EQ(format_count(1'050), "1.1K");
  EXPECT_EQ(format_count(3'200'000), "3.2M");
  EXPECT_EQ(format_count(10'000'000), "10M");
  EXPECT_EQ(format_count(99'949), "99.9K");
  EXPECT_EQ(format_count(99'950), "100K");
  EXPECT_EQ(format_count(999'499), "999K");
  EXPECT_EQ(format_count(999'500), "1M");
  EXPECT_EQ(format_count(1'500'000'000), "1.5G");
  EXPECT_EQ(format_count(18446744073709551615U), "18446744T");
}

TEST(HumanBytes, HaveOneDecimal) {
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(1023), "1023 B");
  EXPECT_EQ(human_bytes(1536), "1.5 KiB");
  EXPECT_EQ(human_bytes(1258291200), "1.2 GiB");
  EXPECT_EQ(human_bytes(200.0 * 1024 * 1024), "200 MiB");
}

TEST(Grouped, PartsThousands) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(1234567), "1,234,567");
}

}  // namespace
}  // namespace bloomery
