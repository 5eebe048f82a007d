// SPDX-License-Identifier: Apache-2.0
// What every format promises, whatever it is.
#include "bloomery/format/format.h"

#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <stdexcept>

#include "bloomery/errors.h"
#include "bloomery/filter/filter_kinds.h"
#include "bloomery/format/kinds.h"
#include "tests/format/foreign_vectors.h"
#include "tests/support/keys.h"
#include "tests/support/small_settings.h"

using namespace bloomery;
using namespace bloomery::golden;

namespace {

class EveryFormat : public ::testing::TestWithParam<const Format*> {};

TEST_P(EveryFormat, SaysWhatItIs) {
  const Format& format = *GetParam();
  EXPECT_EQ(find_format(format.name), &format);
  for (const auto text : {format.name, format.system, format.hash, format.rule, format.keys}) {
    EXPECT_FALSE(text.empty());
  }
  for (const Kind* const kind : format.kinds) {
    EXPECT_EQ(&kind_of(kind->number), kind);
    EXPECT_TRUE(format.holds(kind->number));
  }
  EXPECT_FALSE(format.holds(FilterKind::blocked));
}

// A refusal names what create takes, not what decode does.
TEST_P(EveryFormat, IsMadeWithTheSettingsThatItNames) {
  const Format& format = *GetParam();
  if (format.create == nullptr) GTEST_SKIP() << "not made by us";
  const auto refusal = [&](const std::string& name) -> std::string {
    try {
      format.create({.capacity = 10, .false_positive_rate = 0.02}, {{name, "?"}});
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  const std::string unknown = refusal("nosuch");
  EXPECT_NE(unknown.find(format.create_settings.empty() ? "" : format.create_settings),
            std::string::npos)
      << unknown;
  if (format.create_settings.empty() && !format.settings.empty()) {
    EXPECT_EQ(unknown.find("its bytes say all"), std::string::npos) << unknown;
    EXPECT_NE(unknown.find("-n and -p"), std::string::npos) << unknown;
  }
  std::istringstream names{std::string(format.create_settings)};
  for (std::string name; names >> name;) {
    EXPECT_EQ(refusal(name).find("no such setting"), std::string::npos) << refusal(name);
  }
}

// Bytes and settings of a filter, read again, are the same filter.
TEST_P(EveryFormat, ReadsWhatItWrites) {
  const Format& format = *GetParam();
  if (format.create == nullptr || format.encode == nullptr) GTEST_SKIP() << "not made by us";
  AnyFilter filter = format.create({.capacity = 1000, .false_positive_rate = 0.02},
                                   bloomery::testing::small_settings(format));
  const MakeKey make = text_keys("key:%d");
  for (const std::int64_t key_count : {0, 1, 1000}) {
    insert_all(filter, make, 0, key_count);
    const auto bytes = encode(format, filter.contents());
    const FormatSettings settings =
        format.settings_of == nullptr ? FormatSettings{} : format.settings_of(filter.contents());
    AnyFilter read = format.decode(bytes, settings);
    EXPECT_EQ(present(read, make, 0, key_count).size(), static_cast<std::size_t>(key_count));
    EXPECT_EQ(present(read, make, 5000, 9000), present(filter, make, 5000, 9000));
    EXPECT_EQ(encode(format, read.contents()), bytes);
    EXPECT_EQ(read.geometry(), filter.geometry());
    // The filter that was read takes more keys as the first filter does.
    EXPECT_EQ(insert_all(read, make, 9000, 9010), insert_all(filter, make, 9000, 9010));
    EXPECT_EQ(encode(format, read.contents()), encode(format, filter.contents()));
  }
}

// A second filter in one stream, whose keys nobody would find, and whose bytes who writes the first
// one would cut off.
TEST_P(EveryFormat, RefusesBytesBehindTheFilter) {
  const Format& format = *GetParam();
  if (format.create == nullptr || format.encode == nullptr) GTEST_SKIP() << "not made by us";
  if (format.name == "leveldb") GTEST_SKIP() << "all bytes but the last are its array";
  if (format.name == "dcso") GTEST_SKIP() << "the bytes behind the filter belong to it";
  AnyFilter filter = format.create({.capacity = 1000, .false_positive_rate = 0.02},
                                   bloomery::testing::small_settings(format));
  insert_all(filter, text_keys("key:%d"), 0, 1000);
  auto bytes = encode(format, filter.contents());
  const FormatSettings settings =
      format.settings_of == nullptr ? FormatSettings{} : format.settings_of(filter.contents());
  // Arrays that systems write up to their last bit that is set.
  bytes.resize(std::max(bytes.size(), (filter.geometry().bit_count + 7) / 8));
  for (const std::size_t count : {std::size_t{1}, std::size_t{8}, bytes.size()}) {
    for (const bool are_zero : {false, true}) {
      auto longer = bytes;
      if (are_zero) {
        longer.resize(bytes.size() + count);
      } else {
        for (std::size_t i = 0; i < count; ++i) longer.push_back(bytes[i]);
      }
      EXPECT_THROW(format.decode(longer, settings), FormatError)
          << count << " bytes more" << (are_zero ? ", of zero" : "");
    }
  }
}

TEST_P(EveryFormat, TakesIntegersAsTheirEightBytes) {
  const Format& format = *GetParam();
  if (format.create == nullptr) GTEST_SKIP() << "not made by us";
  AnyFilter by_integer = format.create({.capacity = 500, .false_positive_rate = 0.02},
                                       bloomery::testing::small_settings(format));
  AnyFilter by_bytes = format.create({.capacity = 500, .false_positive_rate = 0.02},
                                     bloomery::testing::small_settings(format));
  std::vector<std::uint64_t> integers;
  std::vector<std::string> texts;
  for (std::uint64_t i = 0; i < 500; ++i) {
    integers.push_back(i * 0x9e3779b97f4a7c15);
    texts.push_back(bloomery::testing::bytes_of(integers.back()));
  }
  by_integer.insert_many(integers);
  by_bytes.insert_many(bloomery::testing::keys_of(texts));
  EXPECT_TRUE(
      std::ranges::equal(by_integer.contents().words.front(), by_bytes.contents().words.front()));
}

TEST_P(EveryFormat, RefusesBitsThatMeanOtherKeys) {
  const Format& format = *GetParam();
  const AnyFilter blocked = make_filter(FilterKind::blocked, {.capacity = 10});
  EXPECT_THROW(encode(format, blocked.contents()), IncompatibleError);
}

TEST_P(EveryFormat, RefusesSettingsItDoesNotHave) {
  const Format& format = *GetParam();
  EXPECT_THROW(format.decode({}, {{"colour", "red"}}), std::invalid_argument);
  if (format.create == nullptr) return;
  EXPECT_THROW(format.create({.capacity = 10}, {{"colour", "red"}}), std::invalid_argument);
}

TEST_P(EveryFormat, MergesItsOwn) {
  const Format& format = *GetParam();
  if (format.create == nullptr) GTEST_SKIP() << "not made by us";
  const auto make_filter_of = [&](std::int64_t from, std::int64_t to) {
    AnyFilter filter = format.create({.capacity = 1000, .false_positive_rate = 0.02},
                                     bloomery::testing::small_settings(format));
    insert_all(filter, text_keys("key:%d"), from, to);
    return filter;
  };
  AnyFilter merged = make_filter_of(0, 300);
  merged.merge(make_filter_of(300, 600));
  EXPECT_EQ(present(merged, text_keys("key:%d"), 0, 600).size(), 600U);
}

INSTANTIATE_TEST_SUITE_P(Formats, EveryFormat,
                         ::testing::ValuesIn(formats().begin(), formats().end()),
                         [](const auto& of) {
                           std::string name(of.param->name);
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(Formats, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const Format* const format : formats()) EXPECT_TRUE(names.insert(format->name).second);
  EXPECT_EQ(find_format("no such"), nullptr);
}

}  // namespace
