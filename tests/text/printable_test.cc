// SPDX-License-Identifier: Apache-2.0
#include "bloomery/text/printable.h"

#include <gtest/gtest.h>

#include <string>

namespace bloomery {
namespace {

TEST(Printable, EscapesWhatATerminalWouldObey) {
  EXPECT_EQ(printable("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(printable(std::string("\0\n\r\t\x1b[2J\x7f", 9)), R"("\x00\n\r\t\x1b[2J\x7f")");
  EXPECT_EQ(printable("\xc2\x9b"), R"("\xc2\x9b")");  // a control character in UTF-8
}

TEST(Printable, KeepsWellFormedUtf8Only) {
  EXPECT_EQ(printable("用户 é"), "\"用户 é\"");
  EXPECT_EQ(printable("\xe7\x94"), R"("\xe7\x94")");                          // cut short
  EXPECT_EQ(printable("\xc0\xaf\xed\xa0\x80"), R"("\xc0\xaf\xed\xa0\x80")");  // overlong, surrogate
}

TEST(Printable, WithoutControlsLeavesAllElseAsItIs) {
  EXPECT_EQ(without_controls("a\"b\\c\n\x1b[0m é\x7f"), "a\"b\\c\\n\\x1b[0m é\\x7f");
}

TEST(Printable, CutsLongBytesAndSaysHowLongTheyAre) {
  EXPECT_EQ(printable("abcdef", 3), "\"abc\"... (6 bytes)");
  EXPECT_EQ(printable("abc", 3), "\"abc\"");
}

}  // namespace
}  // namespace bloomery
