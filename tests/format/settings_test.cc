// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/settings.h"

#include <gtest/gtest.h>

#include <stdexcept>

using namespace bloomery;

namespace {

TEST(Settings, ReadsWhatWasGiven) {
  const FormatSettings settings{
      {"bits", "4294967295"}, {"rate", "1.0E-4"}, {"old", "1"}, {"k", "b"}};
  const SettingsReader read(settings, "x", "bits rate old k other");
  EXPECT_EQ(read.count("bits"), 4'294'967'295U);
  EXPECT_EQ(read.rate("rate"), 1e-4);
  EXPECT_TRUE(read.flag("old"));
  EXPECT_EQ(read.word("k", "a b"), "b");
  EXPECT_EQ(read.word("other", "a b"), "a");
  EXPECT_EQ(read.count("other"), std::nullopt);
  EXPECT_FALSE(read.flag("other"));
}

TEST(Settings, RefusesWhatCannotBe) {
  EXPECT_THROW(SettingsReader({{"colour", "red"}}, "x", "bits rate"), std::invalid_argument);
  for (const char* const bad : {"", "0", "-1", "1x", "1e6", "9223372036854775808"}) {
    const FormatSettings settings{{"bits", bad}};
    const SettingsReader read(settings, "x", "bits");
    EXPECT_THROW(read.count("bits"), std::invalid_argument) << bad;
  }
  for (const char* const bad : {"0", "1", "-0.1", "nan", "x", ""}) {
    const FormatSettings settings{{"rate", bad}};
    const SettingsReader read(settings, "x", "rate");
    EXPECT_THROW(read.rate("rate"), std::invalid_argument) << bad;
  }
  const FormatSettings settings{{"k", "c"}, {"old", "yes"}};
  const SettingsReader read(settings, "x", "k old bits");
  EXPECT_THROW(read.word("k", "a b"), std::invalid_argument);
  EXPECT_THROW(read.flag("old"), std::invalid_argument);
  EXPECT_THROW(read.need_count("bits"), std::invalid_argument);
}

}  // namespace
