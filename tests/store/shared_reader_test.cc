// SPDX-License-Identifier: Apache-2.0
// Who reads a shared file.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/store/mapped_filter.h"
#include "bloomery/store/native_file.h"
#include "bloomery/store/shared_filter.h"
#include "tests/store/sample_filters.h"
#include "tests/store/scratch_folder.h"
#include "tests/store/shared_files.h"
#include "tests/store/system_faults.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using testing::ScratchFolder;
using ::testing::ThrowsMessage;

// A process goes on with the file that it has, which is nobody else's.
TEST(SharedFilter, TellsWhereAnotherFileTookItsName) {
  const ScratchFolder folder;
  put_filter(folder / "f");
  put_filter(folder / "other");
  SharedFilter shared = open_shared(folder / "f");
  std::filesystem::rename(folder / "other", folder / "f");
  shared.insert("in the old one");
  EXPECT_TRUE(shared.may_contain("in the old one"));
  EXPECT_THAT([&] { shared.flush(); }, ThrowsMessage<StoreError>(HasSubstr("was moved, removed")));
  EXPECT_FALSE(open_shared(folder / "f").may_contain("in the old one"));
  EXPECT_THROW(shared.close(), StoreError);
  EXPECT_FALSE(load(folder / "f").may_contain("in the old one"));
}

TEST(SharedFilter, WhoMappedItBeforeSaysMaybe) {
  const ScratchFolder folder;
  put_filter(folder / "f");
  const MappedFilter before = open_mapped(folder / "f");
  EXPECT_FALSE(before.may_contain("absent"));
  const SharedFilter shared = open_shared(folder / "f");
  EXPECT_TRUE(before.may_contain("absent"));
}

TEST(SharedFilter, IsAskedReadOnlyWhileItIsLive) {
  const ScratchFolder folder;
  put_filter(folder / "f");
  constexpr SharedOptions kAsk{.access = SharedOptions::read_only};
  EXPECT_THAT([&] { open_shared(folder / "f", kAsk); },
              ThrowsMessage<StoreError>(HasSubstr("is not live")));
  SharedFilter writer = open_shared(folder / "f");
  SharedFilter reader = open_shared(folder / "f", kAsk);
  EXPECT_FALSE(reader.may_contain("later"));
  writer.insert("later");
  EXPECT_TRUE(reader.may_contain("later"));
  EXPECT_EQ(reader.inserted(), 1U);
  EXPECT_THROW(reader.insert("more"), StoreError);
  const Key more = "more";
  EXPECT_THROW(reader.insert_many({&more, 1}), StoreError);
  writer.close();
  EXPECT_TRUE(inspect(folder / "f").is_live);  // for as long as somebody reads it
  reader.close();
  EXPECT_TRUE(load(folder / "f").may_contain("later"));
  EXPECT_FALSE(open_shared(folder / "f").may_contain("more"));
  EXPECT_FALSE(inspect(folder / "f").is_live);
}

TEST(SharedFilter, AReaderSealsWhatItMayWrite) {
  const ScratchFolder folder;
  put_filter(folder / "f");
  constexpr SharedOptions kAsk{.access = SharedOptions::read_only};
  SharedFilter writer = open_shared(folder / "f");
  SharedFilter reader = open_shared(folder / "f", kAsk);
  SharedFilter leaving =
      open_shared(folder / "f", {.access = SharedOptions::read_only, .seal_at_close = false});
  writer.close();
  {
    const testing::FailingCall fails(1, EIO, "fsync");
    EXPECT_THROW(leaving.flush(), StoreError);
  }
  reader.close();
  leaving.close();
  EXPECT_TRUE(inspect(folder / "f").is_live);
  {
    const SharedFilter other = open_shared(folder / "f", kStaysLiveAsked);
    SharedFilter denied = open_shared(folder / "f", kAsk);
    const testing::FailingCall fails(1, EACCES, "open");
    denied.close();
    EXPECT_EQ(fails.failed(), "open");
  }
  EXPECT_TRUE(inspect(folder / "f").is_live);
  open_shared(folder / "f", kAsk).close();
  EXPECT_TRUE(inspect(folder / "f").is_live) << "nobody had it, who could have asked for that";
  std::optional<SharedFilter> other = open_shared(folder / "f", kStaysLiveAsked);
  SharedFilter last = open_shared(folder / "f", kAsk);
  other.reset();
  last.close();
  EXPECT_FALSE(inspect(folder / "f").is_live);
}

// An overlay of two folders, where this process may mount one.
class Overlay {
 public:
  explicit Overlay(const ScratchFolder& folder) : at_(folder / "merged") {
    for (const char* each : {"lower", "upper", "work", "merged"}) {
      std::filesystem::create_directory(folder / each);
    }
    const std::string options = "lowerdir=" + (folder / "lower").string() +
                                ",upperdir=" + (folder / "upper").string() +
                                ",workdir=" + (folder / "work").string();
    is_mounted_ = mount("overlay", at_.c_str(), "overlay", 0, options.c_str()) == 0;
  }
  Overlay(const Overlay&) = delete;
  Overlay& operator=(const Overlay&) = delete;
  ~Overlay() {
    if (is_mounted_) umount2(at_.c_str(), MNT_DETACH);
  }
  bool is_mounted() const { return is_mounted_; }

 private:
  std::filesystem::path at_;
  bool is_mounted_ = false;
};

// A writer gets a copy of the file, which has the name and the number of the old one.
TEST(SharedFilter, WhoReadsItOnAnOverlayHasWhatItsWritersHave) {
  const ScratchFolder folder;
  constexpr SharedOptions kAsk{.access = SharedOptions::read_only};
  std::filesystem::create_directory(folder / "lower");
  put_filter(folder / "lower" / "f");
  open_shared(folder / "lower" / "f", kStaysLive).insert("first");
  const Overlay overlay(folder);
  if (!overlay.is_mounted()) GTEST_SKIP() << "may mount no overlay here";
  const SharedFilter reader = open_shared(folder / "merged" / "f", kAsk);
  SharedFilter writer = open_shared(folder / "merged" / "f", kStaysLive);
  writer.insert("later");
  EXPECT_TRUE(reader.may_contain("first"));
  EXPECT_TRUE(reader.may_contain("later"));
  EXPECT_FALSE(reader.may_contain("never"));
}

TEST(SharedFilter, WhoMayNotWriteItOnAnOverlayDoesNotReadIt) {
  const ScratchFolder folder;
  put_filter(folder / "f");
  const SharedFilter writer = open_shared(folder / "f", kStaysLive);
  std::string said;
  for (int nth = 1; nth < 10; ++nth) {
    const testing::FailingCall fails(nth, EACCES, "open");
    const testing::FileSystemIs overlay(0x794c7630);
    try {
      open_shared(folder / "f", kStaysLiveAsked);
    } catch (const StoreError& error) {
      said += error.what();
    }
  }
  EXPECT_THAT(said, HasSubstr("is on overlayfs"));
}

// Whoever reads a file while it becomes live, or whole.
TEST(SharedFilter, WhatIsReadMeanwhileIsNotCalledDamaged) {
  const ScratchFolder folder;
  std::vector<std::string> texts;
  for (int i = 0; i < 500; ++i) texts.push_back(key(0, i));
  std::optional<SharedFilter> shared;
  const auto share = [&] {
    shared.emplace(open_shared(folder / "f"));
    shared->insert_many(testing::keys_of(texts));
  };
  put_filter(folder / "f");
  {
    const testing::BeforeCall before(2, "pread", share);
    EXPECT_THAT([&] { load(folder / "f"); }, ThrowsMessage<FormatError>(HasSubstr("is live")));
    EXPECT_TRUE(before.has_run());
  }
  const std::uint64_t inserted = shared->inserted();
  {
    const testing::BeforeCall before(2, "pread", [&] { shared->close(); });
    const FileInfo info = inspect(folder / "f");
    EXPECT_TRUE(before.has_run());
    EXPECT_FALSE(info.is_live);
    EXPECT_EQ(info.contents.inserted, inserted);
  }
  const auto changed = ThrowsMessage<StoreError>(HasSubstr("written over by others while"));
  put_filter(folder / "f");
  const MappedFilter mapped = open_mapped(folder / "f");
  share();
  EXPECT_THAT([&] { mapped->contents(); }, changed);
  shared->close();
  put_filter(folder / "f");
  const testing::BeforeCall before(3, "pread", share);
  EXPECT_THAT([&] { open_mapped(folder / "f", {.verify = true}); }, changed);
  EXPECT_TRUE(before.has_run());
}

}  // namespace
}  // namespace bloomery
