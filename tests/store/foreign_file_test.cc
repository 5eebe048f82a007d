// SPDX-License-Identifier: Apache-2.0
// Filters of other systems in their own files and in ours.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "bloomery/errors.h"
#include "bloomery/filter/filter_kinds.h"
#include "bloomery/store/file_location.h"
#include "bloomery/store/filter_editor.h"
#include "bloomery/store/foreign_file.h"
#include "bloomery/store/mapped_filter.h"
#include "tests/store/read_write.h"
#include "tests/store/scratch_folder.h"
#include "tests/support/keys.h"
#include "tests/support/small_settings.h"
#include "tests/support/stored_words.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using testing::keys_of;
using testing::read_file;
using testing::ScratchFolder;
using testing::stored_words;
using testing::texts;
using ::testing::ThrowsMessage;

FileLocation at(const Format& format, const std::filesystem::path& path) {
  FileLocation location(path);
  location.format = &format;
  return location;
}

AnyFilter filled(const Format& format) {
  AnyFilter filter = format.create({.capacity = 300, .false_positive_rate = 0.02},
                                   testing::small_settings(format));
  filter.insert_many(keys_of(texts(300, "member:")));
  return filter;
}

class ForeignFile : public ::testing::TestWithParam<const Format*> {
 protected:
  void SetUp() override {
    if (GetParam()->create == nullptr || GetParam()->encode == nullptr) {
      GTEST_SKIP() << "not made by us";
    }
  }
  const Format& format() const { return *GetParam(); }
  ScratchFolder folder_;
};

// A filter goes there and back through our own file, to the byte, and answers alike on the way.
TEST_P(ForeignFile, GoesThroughOurOwnFile) {
  const AnyFilter filter = filled(format());
  const FileLocation theirs = at(format(), folder_ / "theirs");
  save(filter.contents(), theirs);
  save(load(theirs), folder_ / "ours");
  const AnyFilter ours = load(folder_ / "ours");
  EXPECT_EQ(ours.parameters().kind, filter.parameters().kind);
  EXPECT_EQ(ours.geometry(), filter.geometry());
  EXPECT_TRUE(stored_words(ours) == stored_words(filter));
  const auto strangers = texts(3000, "stranger:");
  for (const std::string& key : strangers) {
    EXPECT_EQ(ours.may_contain(key), filter.may_contain(key)) << key;
  }
  const MappedFilter mapped = open_mapped(folder_ / "ours", testing::kReadOnly);
  for (const std::string& key : texts(300, "member:")) EXPECT_TRUE(mapped.may_contain(key));
  save(ours.contents(), at(format(), folder_ / "back"));
  EXPECT_EQ(read_file(folder_ / "back"), read_file(folder_ / "theirs"));
}

// A filter has its system's usual form of keys where nobody gives another; our file writes it down.
TEST_P(ForeignFile, SaysInOurFileHowItsKeysAreWritten) {
  const FileLocation theirs = at(format(), folder_ / "theirs");
  save(filled(format()).contents(), theirs);
  const KeyForm usual{.encoding = find_key_encoding(format().keys).value()};
  EXPECT_EQ(load(theirs).keys(), usual);
  EXPECT_EQ(FilterEditor(theirs).filter().keys(), usual);
  save(load(theirs), folder_ / "ours");
  EXPECT_EQ(load(folder_ / "ours").keys(), usual);
  EXPECT_EQ(open_mapped(folder_ / "ours", testing::kReadOnly).filter().keys(), usual);
}

TEST_P(ForeignFile, IsEditedInPlace) {
  const FileLocation location = at(format(), folder_ / "f");
  AnyFilter filter = filled(format());
  save(filter.contents(), location);
  {
    FilterEditor editor(location);
    EXPECT_THROW(FilterEditor{location}, StoreError);
    editor.filter().insert("one more");
    editor.commit();
  }
  filter.insert("one more");
  EXPECT_TRUE(stored_words(load(location)) == stored_words(filter));
}

TEST_P(ForeignFile, IsNotOverwrittenUnasked) {
  const FileLocation location = at(format(), folder_ / "f");
  save(filled(format()).contents(), location, {.replace = false});
  const std::string before = read_file(folder_ / "f");
  EXPECT_THROW(save(filled(format()).contents(), location, {.replace = false}), StoreError);
  EXPECT_EQ(read_file(folder_ / "f"), before);
}

INSTANTIATE_TEST_SUITE_P(Formats, ForeignFile,
                         ::testing::ValuesIn(formats().begin(), formats().end()),
                         [](const auto& of) {
                           std::string name(of.param->name);
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

// Written once by version 1, of the streams in golden/foreign/guava.json: see golden_test.cc.
TEST(GoldenForeignFile, IsReadAndWrittenAsEver) {
  const ScratchFolder folder;
  const std::filesystem::path golden = "golden/native/foreign_guava.bloom";
  const AnyFilter filter = load(golden);
  EXPECT_EQ(filter.parameters().kind, FilterKind::mitz_64);
  EXPECT_EQ(filter.geometry(), (Geometry{.bit_count = 128, .probe_count = 5}));
  save(filter, folder / "again");
  EXPECT_EQ(read_file(folder / "again"), read_file(golden));
  EXPECT_EQ(HashId{static_cast<std::uint8_t>(read_file(golden)[11])}, HashId::foreign);
  save(filter.contents(), parse_file_location("guava:" + (folder / "guava").string()));
  EXPECT_EQ(read_file(folder / "guava"),
            std::string("\1\5\0\0\0\2\x40\0\0\0\0\0\0\0\x40\0\0\0\0\0\0\0", 22));
}

TEST(ForeignConfig, IsReadAsRedisPrintsAHash) {
  const ScratchFolder folder;
  const FileLocation location = parse_file_location("redisson:" + (folder / "f").string());
  std::ofstream(folder / "f") << "";
  std::ofstream(folder / "f.config")
      << "size\n729\nhashIterations\n5\nexpectedInsertions\n100\nfalseProbability\n0.03\n";
  const AnyFilter filter = load(location);
  EXPECT_EQ(filter.geometry().bit_count, 729U);
  EXPECT_EQ(filter.capacity(), 100U);
  std::ofstream(folder / "f.config") << "size=800 hashIterations=5";
  EXPECT_EQ(load(location).geometry().bit_count, 800U);
}

// Each setting of each format that is written beside a file: one that says otherwise would have
// keys asked at other bits. What a filter was made for moves no bit.
TEST(ForeignConfig, IsNotContradictedBySettingsOfTheLocation) {
  int refused = 0;
  for (const Format* const format : formats()) {
    if (format->settings_of == nullptr || format->create == nullptr) continue;
    const ScratchFolder folder;
    const FileLocation location =
        parse_file_location(std::string(format->name) + ":" + (folder / "f").string());
    save(format
             ->create({.capacity = 1000, .false_positive_rate = 0.01},
                      testing::small_settings(*format))
             .contents(),
         location);
    const FormatSettings beside = settings_at(location);
    for (const auto& [name, value] : beside) {
      FileLocation asked = location;
      asked.settings[name] = value;
      EXPECT_NO_THROW(load(asked)) << format->name << " " << name << "=" << value;
      const bool is_number = value.find_first_not_of("0123456789.") == std::string::npos;
      asked.settings[name] = is_number ? "1" + value : value + "x";
      if (name == "capacity") {
        EXPECT_NO_THROW(load(asked)) << format->name;
        continue;
      }
      if (name == "rate") continue;
      try {
        load(asked);
        ADD_FAILURE() << format->name << " takes " << name << "=" << asked.settings[name];
      } catch (const std::invalid_argument& error) {
        EXPECT_THAT(error.what(), HasSubstr("f.config says " + name + "=\"" + value + "\""));
        EXPECT_THAT(error.what(), HasSubstr("\"absent\" would be wrong"));
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 15);
}

// A .config that somebody wrote by hand, with no sizes: its capacity and rate give them.
TEST(ForeignConfig, IsNotContradictedWhereItsCapacityGivesTheSize) {
  const ScratchFolder folder;
  std::ofstream(folder / "f") << "";
  std::ofstream(folder / "f.config") << "capacity=100 rate=0.01";
  const std::string path = "pyrebloom:" + (folder / "f").string();
  EXPECT_NO_THROW(load(parse_file_location(path)));
  FileLocation asked = parse_file_location(path);
  asked.settings = {{"capacity", "100"}, {"rate", "0.010"}};
  EXPECT_NO_THROW(load(asked));
  for (const auto& [name, value] : FormatSettings{{"capacity", "1000"}, {"rate", "0.02"}}) {
    asked.settings = {{name, value}};
    EXPECT_THAT([&] { load(asked); },
                ThrowsMessage<std::invalid_argument>(HasSubstr("f.config says " + name + "=")));
  }
}

TEST(ForeignFormat, ItsBytesAreNotContradictedBySettings) {
  const ScratchFolder folder;
  const FileLocation location = parse_file_location("guava:" + (folder / "f").string());
  save(location.format->create({.capacity = 100}, {}).contents(), location);
  FileLocation asked = location;
  asked.settings["strategy"] = "mitz_64";
  EXPECT_NO_THROW(load(asked));
  asked.settings["strategy"] = "mitz_32";
  EXPECT_THROW(load(asked), std::invalid_argument);
}

TEST(ForeignConfig, IsRefusedWhereItIsNone) {
  const ScratchFolder folder;
  const FileLocation location = parse_file_location("redisson:" + (folder / "f").string());
  std::ofstream(folder / "f") << "";
  EXPECT_THROW(load(location), std::invalid_argument);  // nothing says the size
  std::ofstream(folder / "f.config") << "size";
  EXPECT_THROW(load(location), FormatError);
  std::ofstream(folder / "f.config") << "size 1 size 2";
  EXPECT_THROW(load(location), FormatError);
  std::ofstream(folder / "f.config") << std::string(100'000, 'x');
  EXPECT_THROW(load(location), FormatError);
}

TEST(ForeignFormat, RefusesBitsOfAnotherScheme) {
  const ScratchFolder folder;
  const FileLocation location = parse_file_location("guava:" + (folder / "f").string());
  const AnyFilter blocked = make_filter(FilterKind::blocked, {.capacity = 100});
  try {
    save(blocked.contents(), location);
    FAIL();
  } catch (const IncompatibleError& error) {
    EXPECT_THAT(error.what(), HasSubstr("bloomery load KEYS guava:FILE"));
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "f"));
}

}  // namespace
}  // namespace bloomery
