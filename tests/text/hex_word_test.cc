// SPDX-License-Identifier: Apache-2.0
#include "bloomery/text/hex_word.h"

#include <gtest/gtest.h>

namespace bloomery {
namespace {

TEST(HexWord, IsSixteenDigitsAndReadBack) {
  EXPECT_EQ(hex_word(0), "0000000000000000");
  EXPECT_EQ(hex_word(0x0123456789abcdef), "0123456789abcdef");
  for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}}) {
    EXPECT_EQ(read_hex_word(hex_word(number)), number);
  }
  EXPECT_EQ(read_hex_word("0123456789ABCDEF"), 0x0123456789abcdef);
}

TEST(HexWord, IsNothingElse) {
  for (const char* text : {"", "0", "0123456789abcde", "0123456789abcdef0", "0123456789abcdeg",
                           "-123456789abcdef", " 123456789abcdef", "0x23456789abcdef"}) {
    EXPECT_EQ(read_hex_word(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace bloomery
