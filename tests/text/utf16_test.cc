// SPDX-License-Identifier: Apache-2.0
#include "bloomery/text/utf16.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/utf16.h"

namespace bloomery {
namespace {

using Units = std::vector<std::uint16_t>;

Units units_of(Key text) {
  Units units;
  for_each_utf16_unit(text, [&](std::uint16_t unit) { units.push_back(unit); });
  return units;
}

TEST(Utf16, IsWhatJavaScriptSeesOfEveryRecordedString) {
  const auto golden = golden::read("js.json");
  for (const auto& vector : golden["hash_vectors"]) {
    const std::string text = vector["s"];
    const std::string bytes = golden::bytes_of_hex(vector["utf16_hex"]);
    Units expected;
    for (std::size_t i = 0; i < bytes.size(); i += 2) {
      expected.push_back(static_cast<std::uint16_t>(static_cast<unsigned char>(bytes[i]) * 256 +
                                                    static_cast<unsigned char>(bytes[i + 1])));
    }
    EXPECT_EQ(units_of(text), expected) << text;
  }
}

TEST(Utf16, ReachesEveryUnit) {
  for (unsigned unit = 0; unit < 0x10000; ++unit) {
    const Units expected{static_cast<std::uint16_t>(unit)};
    ASSERT_EQ(units_of(golden::bytes_of_unit(unit)), expected) << unit;
  }
}

TEST(Utf16, SplitsCharactersBeyondTheFirst65536IntoPairs) {
  EXPECT_EQ(units_of("\xf0\x90\x80\x80"), Units({0xd800, 0xdc00}));
  EXPECT_EQ(units_of("a\xf0\x9f\x98\x80z"), Units({'a', 0xd83d, 0xde00, 'z'}));
  EXPECT_EQ(units_of("\xf4\x8f\xbf\xbf"), Units({0xdbff, 0xdfff}));
  EXPECT_EQ(units_of("\xed\xa0\xbd\xed\xb8\x80"), units_of("\xf0\x9f\x98\x80"));
}

TEST(Utf16, ReplacesEachLongestBeginningOfWhatIsNotUtf8) {
  EXPECT_EQ(units_of("\xff"), Units({0xfffd}));
  EXPECT_EQ(units_of("\x80\xbfz"), Units({0xfffd, 0xfffd, 'z'}));
  EXPECT_EQ(units_of("\xc0\xaf"), Units({0xfffd, 0xfffd}));              // overlong
  EXPECT_EQ(units_of("\xe0\x9f\xbf"), Units({0xfffd, 0xfffd, 0xfffd}));  // overlong
  EXPECT_EQ(units_of("\xe4\xbd"
                     "a"),
            Units({0xfffd, 'a'}));                       // cut short
  EXPECT_EQ(units_of("\xf0\x9f\x98"), Units({0xfffd}));  // cut short
  EXPECT_EQ(units_of("\xf4\x90\x80\x80"), Units({0xfffd, 0xfffd, 0xfffd, 0xfffd}));
  EXPECT_EQ(units_of("\xf5\x80"), Units({0xfffd, 0xfffd}));
  EXPECT_EQ(units_of(Key()), Units());
}

}  // namespace
}  // namespace bloomery
