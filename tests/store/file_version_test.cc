// SPDX-License-Identifier: Apache-2.0
#include "bloomery/store/file_version.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "bloomery/filter/blocked_filter.h"
#include "bloomery/store/native_file.h"
#include "bloomery/store/shared_filter.h"
#include "tests/store/read_write.h"
#include "tests/store/scratch_folder.h"
#include "tests/store/shared_files.h"

namespace bloomery {
namespace {

using testing::ScratchFolder;

class FileVersions : public ::testing::Test {
 protected:
  void put(const std::filesystem::path& path) { save(BlockedFilter({.capacity = 1000}), path); }
  // Expects that save() replaces the version, live or not, or leaves the file alone where it is
  // another.
  void expect_replaced(const FileVersion& version, bool is_there) {
    const std::string before = std::filesystem::exists(file_) ? testing::read_file(file_) : "";
    BlockedFilter newer({.capacity = 1000});
    newer.insert("newer");
    for (const bool over_live : {true, false}) {
      const SaveOptions options{.over_live = over_live, .over = &version};
      if (is_there) return save(newer, file_, options);
      EXPECT_THROW(save(newer, file_, options), ChangedError);
      EXPECT_EQ(std::filesystem::exists(file_) ? testing::read_file(file_) : "", before);
    }
  }

  const ScratchFolder folder_;
  const std::filesystem::path file_ = folder_ / "f";
};

TEST_F(FileVersions, AreReplacedWhereTheyAreStillThere) {
  expect_replaced(FileVersion(file_), true);
  EXPECT_TRUE(load(file_).may_contain("newer"));
  put(file_);
  expect_replaced(FileVersion(file_), true);
  EXPECT_TRUE(load(file_).may_contain("newer"));
}

TEST_F(FileVersions, AreNotReplacedWhereAnotherIsThere) {
  const FileVersion nothing(file_);
  put(file_);
  expect_replaced(nothing, false);
  const FileVersion first(file_);
  put(file_);  // the same bytes, in another file
  expect_replaced(first, false);
  const FileVersion second(file_);
  std::filesystem::remove(file_);
  expect_replaced(second, false);
}

TEST_F(FileVersions, AreNotReplacedWhereTheLinkLeadsElsewhere) {
  put(folder_ / "one");
  put(folder_ / "two");
  std::filesystem::create_symlink("one", file_);
  const FileVersion one(file_);
  std::filesystem::remove(file_);
  std::filesystem::create_symlink("two", file_);
  expect_replaced(one, false);
}

TEST_F(FileVersions, AreNotReplacedWhereTheyWereMadeLiveOrBroughtInStep) {
  put(file_);
  const FileVersion whole(file_);
  SharedFilter shared(file_, {.seal_at_close = false, .moves_notes = true});
  EXPECT_THROW(whole.require_there(), ChangedError);
  const FileVersion live(file_);
  shared.insert("new");
  shared.advance(Watermark{{1, 2}, 3}, "");
  EXPECT_THROW(live.require_there(), ChangedError);
  shared.close();  // as who is killed leaves it
  expect_replaced(whole, false);
  expect_replaced(live, false);
  seal(file_);
  expect_replaced(whole, false);
  expect_replaced(live, false);
  EXPECT_TRUE(load(file_).may_contain("new"));
}

// A pull that is told to puts a whole file there, though readers have the damaged one open.
TEST_F(FileVersions, AreReplacedWhereTheyAreCutUnderThoseWhoHaveThemOpen) {
  put_filter(file_);
  const SharedFilter held(file_, {.access = SharedOptions::read_write, .seal_at_close = false});
  std::filesystem::resize_file(file_, 5000);
  save(BlockedFilter({.capacity = 1000}), file_, {.over_live = true});
  EXPECT_FALSE(load(file_).may_contain("anything"));
  EXPECT_TRUE(held.may_contain("anything")) << "who has the old one open cannot deny";
}

}  // namespace
}  // namespace bloomery
