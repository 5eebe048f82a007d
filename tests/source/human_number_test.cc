#include "bloomery/source/human_number.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "source_helpers.h"

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

}  // namespace
}  // namespace bloomery
