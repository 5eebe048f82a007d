// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace bloomery::cli {
namespace {

TEST(Arguments, RatesAreNumbersOrPercentages) {
  EXPECT_EQ(parse_rate("0.01"), 0.01);
  EXPECT_EQ(parse_rate("1%"), 0.01);
  EXPECT_EQ(parse_rate("1e-9"), 1e-9);
  for (const char* text : {"", "0", "1", "nan", "inf", "-0.1", "0.1 ", "1%%", "100%", "1e-99999"}) {
    EXPECT_THROW(parse_rate(text), std::invalid_argument) << text;
  }
}

TEST(Arguments, SizesAreBitsOrBytes) {
  EXPECT_EQ(parse_bits("80M"), 80'000'000U);
  EXPECT_EQ(parse_bits("1KiB"), 8'192U);
  EXPECT_EQ(parse_bits("0.5GiB"), std::uint64_t{1} << 32);
  for (const char* text :
       {"", "0", "0B", "-1KiB", "nanKiB", "infB", "1e30TiB", "KiB", "1.5", "1 KiB"}) {
    EXPECT_THROW(parse_bits(text), std::invalid_argument) << text;
  }
}

}  // namespace
}  // namespace bloomery::cli
