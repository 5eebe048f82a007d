// SPDX-License-Identifier: Apache-2.0
// Every filter that can be empty, and is to be.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>

#include "bloomery/errors.h"
#include "bloomery/format/format.h"
#include "bloomery/format/kinds.h"
#include "bloomery/open/open_place.h"
#include "bloomery/store/writer_lock.h"
#include "tests/store/sample_filters.h"
#include "tests/store/scratch_folder.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using testing::ScratchFolder;

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class ClearTest : public ::testing::Test {
 protected:
  std::string path(const std::string& name = "f") const { return (folder_ / name).string(); }
  static PlaceLocation at(const std::string& location) { return parse_place_location(location); }

  ScratchFolder folder_;
};

TEST_F(ClearTest, MakesAFileOfEveryKindAsItWasMade) {
  for (auto& [name, filter] : testing::samples()) {
    SCOPED_TRACE(name);
    const FilterParameters parameters = filter.parameters();
    const FileNotes notes{.watermark = 7,
                          .note = "of users",
                          .epoch = 3,
                          .identity = {.high = 1, .low = 2},
                          .source = {.high = 3, .low = 4}};
    save(filter, path(), {.notes = notes});
    if (kind_of(parameters.kind).built_once) {
      EXPECT_THROW(clear(at(path())), std::invalid_argument);
      EXPECT_EQ(load(at(path())).contents().inserted, filter.contents().inserted);
      continue;
    }
    clear(at(path()));
    const FileInfo info = inspect(path(), /*verify=*/true);
    EXPECT_EQ(info.damaged_blocks, 0U);
    EXPECT_EQ(info.notes.note, "of users");
    EXPECT_EQ(info.notes.epoch, 3U);
    EXPECT_EQ(info.notes.reached(), std::nullopt);
    EXPECT_TRUE(info.notes.identity.is_set());
    EXPECT_FALSE(info.notes.identity == notes.identity);

    save(kind_of(parameters.kind).make(parameters), path("made"), {.notes = info.notes});
    EXPECT_EQ(bytes_of(path()), bytes_of(path("made")));
    AnyFilter cleared = load(at(path()));
    EXPECT_EQ(cleared.keys(), filter.keys());
    const auto members = testing::sample_members();
    for (const std::string& each : members) EXPECT_FALSE(cleared.may_contain(each));
    for (const std::string& each : members) {
      cleared.insert(each);
      EXPECT_TRUE(cleared.may_contain(each));
    }
  }
}

TEST_F(ClearTest, MakesAFileOfAnotherSystemAsItWasMade) {
  for (const Format* const format : formats()) {
    if (format->create == nullptr || format->encode == nullptr) continue;
    SCOPED_TRACE(format->name);
    FileLocation location(path(std::string(format->name)));
    location.format = format;
    try {
      AnyFilter filter = format->create({.capacity = 1'000, .false_positive_rate = 0.01}, {});
      save(filter.contents(), location);
      const std::string empty = bytes_of(location.path);
      filter.insert("in");
      save(filter.contents(), location);
      ASSERT_NE(bytes_of(location.path), empty);
      clear(PlaceLocation(location));
      EXPECT_EQ(bytes_of(location.path), empty);
    } catch (const std::invalid_argument& error) {
      ADD_FAILURE() << error.what();
    }
  }
}

TEST_F(ClearTest, LeavesAloneWhatOthersWrite) {
  EXPECT_THROW(clear(at(path("none"))), StoreError);
  EXPECT_FALSE(std::filesystem::exists(path("none")));
  AnyFilter filter = make_filter(FilterKind::blocked, {.capacity = 1'000});
  filter.insert("in");
  save(filter, path());
  {
    const auto writer = open_place(path(), {.access = PlaceOptions::read_write});
    EXPECT_THROW(clear(at(path())), BusyError);
  }
  {
    const auto sharer = open_place(path(), {.access = PlaceOptions::shared});
    EXPECT_THROW(clear(at(path())), StoreError) << "they would go on in a file without a name";
    EXPECT_EQ(sharer->presence_of("in"), Presence::maybe);
  }
  EXPECT_TRUE(load(at(path())).may_contain("in"));
  clear(at(path()));
  EXPECT_FALSE(load(at(path())).may_contain("in"));
}

TEST_F(ClearTest, IsNotForFiltersThatAServerMakes) {
  try {
    clear(at("bf:redis://127.0.0.1:1#f"));
    ADD_FAILURE();
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), HasSubstr("destroy"));
  }
}

}  // namespace
}  // namespace bloomery
