// SPDX-License-Identifier: Apache-2.0
// How a file takes the place of another, on any system.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "bloomery/errors.h"
#include "bloomery/store/filter_editor.h"
#include "bloomery/store/native_file.h"
#include "tests/store/sample_filters.h"
#include "tests/store/scratch_folder.h"

namespace bloomery {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::read_file;
using testing::sample;
using testing::ScratchFolder;
using ::testing::ThrowsMessage;

TEST(Replacing, IsRefusedWhereTheFileMustNotExist) {
  const ScratchFolder folder;
  const AnyFilter filter = sample(FilterKind::blocked, {.capacity = 5});
  save(filter, folder / "f", {.replace = false});
  const std::string before = read_file(folder / "f");
  EXPECT_THAT([&] { save(filter, folder / "f", {.replace = false}); },
              ThrowsMessage<StoreError>(HasSubstr("already exists")));
  EXPECT_EQ(read_file(folder / "f"), before);
}

TEST(Replacing, TakesTheLongestNameThereIs) {
  const ScratchFolder folder;
  const auto name = std::string(255, 'x');
  for (const std::uint64_t capacity : {5, 50}) {
    save(sample(FilterKind::blocked, {.capacity = capacity}), folder / name);
    EXPECT_EQ(load(folder / name).capacity(), capacity);
  }
  EXPECT_THAT(folder.names(), ElementsAre(name));
}

// A copy of the filter can be saved while others insert; everything inserted before is in it.
TEST(Replacing, MaySaveWhileKeysAreInserted) {
  const ScratchFolder folder;
  AnyFilter filter = make_filter(FilterKind::classic, {.capacity = 200'000});
  filter.insert_many(testing::keys_of(testing::sample_members()));
  const auto more = testing::texts(100'000, "more:");
  std::thread writer([&] {
    for (const std::string& key : more) filter.insert_concurrently(key);
  });
  for (int i = 0; i < 5; ++i) {
    save(filter, folder / "f");
    const AnyFilter loaded = load(folder / "f");
    for (const std::string& key : testing::sample_members()) ASSERT_TRUE(loaded.may_contain(key));
  }
  writer.join();
}

// The name has letters that are not of Latin 1, and the folder has too.
TEST(Replacing, TakesNamesOfAnyScript) {
  const ScratchFolder folder;
  const auto home = folder.path() / u8"文件夹";
  std::filesystem::create_directory(home);
  const auto name = home / u8"фильтр-ü.bloom";
  save(sample(FilterKind::blocked, {.capacity = 500}), name);
  FilterEditor editor(name);
  for (const std::string key : {"one", "two"}) {
    editor.filter().insert(key);
    editor.commit();
    EXPECT_TRUE(load(name).may_contain(key));
    EXPECT_THAT([&] { save(editor.filter(), name); },
                ThrowsMessage<StoreError>(
                    AllOf(HasSubstr("ü.bloom: "), HasSubstr("process is writing this file"))));
  }
  const std::filesystem::directory_iterator names(home);
  EXPECT_EQ(std::distance(begin(names), end(names)), 1);
}

TEST(Replacing, NoticesAFileThatWasMovedAway) {
  const ScratchFolder folder;
  save(make_filter(FilterKind::blocked, {.capacity = 10}), folder / "f");
  save(make_filter(FilterKind::blocked, {.capacity = 20}), folder / "other");
  FilterEditor editor(folder / "f");
  std::filesystem::rename(folder / "other", folder / "f");
  EXPECT_THAT([&] { editor.commit(); }, ThrowsMessage<StoreError>(HasSubstr("replaced")));
  EXPECT_EQ(load(folder / "f").capacity(), 20U);
}

}  // namespace
}  // namespace bloomery
