// SPDX-License-Identifier: Apache-2.0
// When a shared file becomes whole again, and for whom.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/store/filter_editor.h"
#include "bloomery/store/mapped_filter.h"
#include "bloomery/store/messages.h"
#include "bloomery/store/native_file.h"
#include "bloomery/store/shared_filter.h"
#include "tests/store/later_field.h"
#include "tests/store/lose_pages.h"
#include "tests/store/read_write.h"
#include "tests/store/sample_filters.h"
#include "tests/store/scratch_folder.h"
#include "tests/store/shared_files.h"
#include "tests/store/system_faults.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using testing::kReadWrite;
using testing::read_file;
using testing::ScratchFolder;
using ::testing::ThrowsMessage;
using testing::write_file;

TEST(SharedFilter, ExcludesWhoWantsItAlone) {
  const ScratchFolder folder;
  put_filter(folder / "f");
  {
    const SharedFilter first = open_shared(folder / "f");
    const SharedFilter second = open_shared(folder / "f");
    EXPECT_THROW(open_mapped(folder / "f", kReadWrite), BusyError);
    EXPECT_THROW(save(*first, folder / "f"), BusyError);
    EXPECT_THROW(FilterEditor(folder / "f"), BusyError);
    EXPECT_THROW(recover(folder / "f"), BusyError);
    EXPECT_THROW(seal(folder / "f"), BusyError);
    const auto live = ThrowsMessage<FormatError>(HasSubstr("is live: processes"));
    EXPECT_THAT([&] { load(folder / "f"); }, live);
    EXPECT_THAT([&] { open_mapped(folder / "f"); }, live);
    EXPECT_TRUE(inspect(folder / "f").is_live);
    EXPECT_FALSE(inspect(folder / "f").closed_cleanly);
  }
  EXPECT_FALSE(inspect(folder / "f").is_live);
  {
    const MappedFilter writer = open_mapped(folder / "f", kReadWrite);
    // At once, however long one would wait for others.
    EXPECT_THROW(open_shared(folder / "f"), BusyError);
  }
  {
    const FilterEditor editor(folder / "f");
    EXPECT_THROW(open_shared(folder / "f", kAtOnce), BusyError);
  }
  EXPECT_FALSE(open_shared(folder / "f").may_contain("nothing"));
}

// Bits of a live file that the machine had in memory and not on the disk are gone after a restart.
TEST(SharedFilter, IsRefusedAfterAnotherStartOfTheMachine) {
  const ScratchFolder folder;
  put_filter(folder / "f");
  { open_shared(folder / "f", kStaysLive).insert("in"); }
  edit_head(folder / "f", [](FileHeader& header) { ++header.live->boot.low; });
  const auto refused =
      ThrowsMessage<FormatError>(HasSubstr("was live when this machine went down"));
  EXPECT_THAT([&] { open_shared(folder / "f"); }, refused);
  EXPECT_THAT([&] { open_shared(folder / "f", {.access = SharedOptions::read_only}); }, refused);
  EXPECT_THAT([&] { seal(folder / "f"); }, refused);
  EXPECT_THAT([&] { load(folder / "f"); }, refused);
  EXPECT_THAT([&] { open_mapped(folder / "f"); }, refused);
  EXPECT_THAT([&] { open_mapped(folder / "f", kReadWrite); }, refused);

  recover(folder / "f");
  EXPECT_TRUE(load(folder / "f").may_contain("in"));
  EXPECT_EQ(load(folder / "f").inserted(), 1U);
  EXPECT_TRUE(open_shared(folder / "f").may_contain("in"));
}

TEST(SharedFilter, RecoverMakesALiveFileWholeToo) {
  const ScratchFolder folder;
  put_filter(folder / "f");
  { open_shared(folder / "f", kStaysLive).insert("in"); }
  recover(folder / "f");
  EXPECT_TRUE(load(folder / "f").may_contain("in"));
}

TEST(SharedFilter, SaysMaybeOnceTheFileIsNoLongerTheSame) {
  const ScratchFolder folder;
  const auto damaged_by = [&](const std::function<void()>& damage) {
    put_filter(folder / "f");
    SharedFilter shared = open_shared(folder / "f");
    EXPECT_FALSE(shared.may_contain("absent"));
    damage();
    EXPECT_TRUE(shared.is_damaged());
    EXPECT_TRUE(shared.may_contain("absent"));
    bool answer = false;
    const Key asked = "absent";
    shared.may_contain_many({&asked, 1}, {&answer, 1});
    EXPECT_TRUE(answer);
    EXPECT_THROW(shared.insert("new"), StoreError);
    EXPECT_THROW(shared.insert_many({&asked, 1}), StoreError);
    EXPECT_THROW(shared.copy(), StoreError);
    EXPECT_THROW(shared.flush(), StoreError);
    EXPECT_THROW(shared.close(), StoreError);
  };
  damaged_by([&] { std::filesystem::resize_file(folder / "f", 5000); });
  damaged_by([&] {
    const auto size = std::filesystem::file_size(folder / "f");
    std::filesystem::resize_file(folder / "f", 0);
    std::filesystem::resize_file(folder / "f", size);
  });
  put_filter(folder / "other", 2 * kCapacity);
  damaged_by([&] { write_file(folder / "f", read_file(folder / "other")); });
}

// A cut within the last page drops no page, whether the file has one block of checksums, two or
// more.
class CutWithinItsLastPage : public ::testing::TestWithParam<std::uint64_t> {};

INSTANTIATE_TEST_SUITE_P(SharedFilter, CutWithinItsLastPage,
                         ::testing::Values(100, 80'000, 300'000));

TEST_P(CutWithinItsLastPage, DeniesNothingAndIsNotMadeWhole) {
  constexpr std::uint64_t kPage = 4096;
  const ScratchFolder folder;
  for (const bool grows : {false, true}) {
    SCOPED_TRACE(grows);
    put_filter(folder / "f", GetParam());
    SharedFilter shared = open_shared(folder / "f");
    SharedFilter other = open_shared(folder / "f", kStaysLive);
    for (int i = 0; i < 100; ++i) shared.insert(key(0, i));
    const auto size = std::filesystem::file_size(folder / "f");
    std::filesystem::resize_file(folder / "f", (size - 1) / kPage * kPage + 8);
    if (grows) std::filesystem::resize_file(folder / "f", size);
    for (const SharedFilter* const each : {&shared, &other}) {
      EXPECT_TRUE(each->may_contain("absent"));
      EXPECT_TRUE(each->is_damaged());
    }
    EXPECT_THROW(shared.insert("new"), StoreError);
    EXPECT_THROW(shared.flush(), StoreError);
    EXPECT_THROW(shared.close(), StoreError);
    EXPECT_THROW(other.close(), StoreError);
    EXPECT_ANY_THROW(open_shared(folder / "f"));
    EXPECT_ANY_THROW(seal(folder / "f"));
    EXPECT_ANY_THROW(load(folder / "f"));
  }
}

// A short table's number could come to 0 from where it stands, if it began there.
TEST(SharedFilter, BeginsToCountWhereItCannotWrap) {
  const ScratchFolder folder;
  const auto end = [&] {
    std::uint32_t number = 0;
    const std::string bytes = read_file(folder / "f");
    std::memcpy(&number, bytes.data() + bytes.size() - sizeof number, sizeof number);
    return number;
  };
  BlockedFilter filter({.capacity = 1000});
  std::uint64_t inserted = 0;
  do {
    inserted += filter.insert("key " + std::to_string(inserted)) ? 1 : 0;
    save(filter, folder / "f");
  } while (end() < 0xf800'0000);
  const std::string whole = read_file(folder / "f");
  int nth = 0;
  for (std::string failed = "none yet"; !failed.empty();) {
    write_file(folder / "f", whole);
    bool is_in = false;
    {
      const testing::FailingCall failing(++nth, EIO);
      try {
        SharedFilter shared = open_shared(folder / "f");
        EXPECT_LT(end(), 0xf800'0000);
        EXPECT_GE(end(), 1U << 20);
        EXPECT_TRUE(shared.insert("in"));
        EXPECT_EQ(shared.inserted(), inserted + 1);
        is_in = true;
        shared.close();
      } catch (const StoreError&) {
      }
      failed = failing.failed();
    }
    SCOPED_TRACE(std::to_string(nth) + ": " + failed);
    EXPECT_EQ(open_shared(folder / "f").inserted(), inserted + (is_in ? 1 : 0));
    EXPECT_EQ(load(folder / "f").may_contain("in"), is_in);
  }
  EXPECT_GT(nth, 18);
}

// A full disk refuses a page. Keys that were inserted before and elsewhere stay for all.
TEST(SharedFilter, NoInsertReturnsThatAPageWhichTheDiskRefusedHas) {
  const ScratchFolder folder;
  constexpr std::uint64_t kPage = 4096;
  constexpr int kKeys = 200;
  std::vector<std::string> texts;
  for (int i = 0; i < kKeys; ++i) texts.push_back(key(0, i));
  const auto keys = testing::keys_of(texts);
  const std::span<const Key> all(keys);
  using Insert = std::function<void(SharedFilter&, std::span<const Key>)>;
  const auto refused = [&](const Insert& insert) {
    put_filter(folder / "f");
    SharedFilter shared = open_shared(folder / "f");
    shared.insert("before");
    testing::lose_pages(folder / "f", 5 * kPage, 20 * kPage);
    const SharedFilter other = open_shared(folder / "f");
    int returned = 0;
    for (std::size_t i = 0; i < all.size(); i += 2) {
      const auto some = all.subspan(i, 2);
      try {
        insert(shared, some);
      } catch (const StoreError&) {
        continue;
      }
      ++returned;
      EXPECT_TRUE(other.may_contain(some[0]) && other.may_contain(some[1])) << "of " << i;
    }
    EXPECT_LT(returned, kKeys / 4);  // those before the first that fell there
    EXPECT_TRUE(shared.is_damaged());
    EXPECT_TRUE(shared.may_contain("before"));
    EXPECT_TRUE(other.may_contain("before"));
    EXPECT_FALSE(other.is_damaged());
    EXPECT_THROW(shared.flush(), StoreError);
    EXPECT_THROW(shared.close(), StoreError);
  };
  refused([](SharedFilter& shared, std::span<const Key> some) {
    shared.insert(some[0]);
    shared.insert(some[1]);
  });
  refused([](SharedFilter& shared, std::span<const Key> some) { shared.insert_many(some); });
  refused([](SharedFilter& shared, std::span<const Key> some) {
    std::array<bool, 2> was_new{};
    shared.insert_many(some, was_new);
  });
}

// A child that another thread has just forked has the lock for a moment.
TEST(SharedFilter, IsSealedThoughAnotherHasItForAMoment) {
  const ScratchFolder folder;
  put_filter(folder / "f");
  SharedFilter shared = open_shared(folder / "f");
  {
    const testing::FailingCall busy(1, EWOULDBLOCK, "flock");
    shared.close();
    EXPECT_EQ(busy.failed(), "flock");
  }
  EXPECT_FALSE(inspect(folder / "f").is_live);
}

TEST(SharedFilter, IsNotSealedOnceAFlushFailed) {
  const ScratchFolder folder;
  put_filter(folder / "f");
  SharedFilter opened = open_shared(folder / "f");
  opened.insert("in");
  {
    const testing::FailingCall fails(1, EIO, "msync");
    EXPECT_THROW(opened.flush(), StoreError);
  }
  SharedFilter shared = std::move(opened);
  shared.flush();
  EXPECT_THAT([&] { shared.close(); }, ThrowsMessage<StoreError>(HasSubstr("flush() failed")));
  EXPECT_TRUE(inspect(folder / "f").is_live);
  EXPECT_TRUE(open_shared(folder / "f").may_contain("in"));
}

TEST(SharedFilter, IsNotSealedByWhoWouldLoseFieldsOfALaterProgram) {
  const ScratchFolder folder;
  put_filter(folder / "f");
  open_shared(folder / "f", kStaysLive).close();
  testing::add_later_field(folder / "f");
  const std::string bytes = read_file(folder / "f");
  const auto refused = ThrowsMessage<StoreError>(HasSubstr("has fields of a later program"));
  EXPECT_THAT([&] { seal(folder / "f"); }, refused);
  EXPECT_THAT([&] { recover(folder / "f"); }, refused);
  EXPECT_THAT([&] { open_shared(folder / "f").close(); }, refused);
  EXPECT_EQ(read_file(folder / "f"), bytes);
  edit_head(folder / "f", [](FileHeader& header) { header.open_for_writing = true; });
  testing::add_later_field(folder / "f");
  EXPECT_THAT([&] { open_shared(folder / "f"); }, refused);
  EXPECT_THAT([&] { open_shared(folder / "f", {.access = SharedOptions::read_only}); }, refused);
}

TEST(SharedFilter, RefusesWhatIsDamagedOrNotClosed) {
  const ScratchFolder folder;
  put_filter(folder / "f");
  std::string bytes = read_file(folder / "f");
  bytes[70'000] ^= 1;
  write_file(folder / "f", bytes);
  EXPECT_THAT([&] { open_shared(folder / "f"); },
              ThrowsMessage<FormatError>(HasSubstr("checksum of body block")));
  put_filter(folder / "f");
  edit_head(folder / "f", [](FileHeader& header) { header.open_for_writing = true; });
  EXPECT_THAT([&] { open_shared(folder / "f"); },
              ThrowsMessage<FormatError>(HasSubstr("not closed cleanly")));
  put_filter(folder / "f");
  edit_head(folder / "f", [](FileHeader& header) { header.is_live = true; });
  EXPECT_THAT([&] { open_shared(folder / "f"); },
              ThrowsMessage<FormatError>(HasSubstr("a filter in a server")));
  EXPECT_THROW(open_shared(folder / "nothing"), StoreError);
}

// Whichever call of the system fails, the next who opens the file finds all that was inserted.
TEST(SharedFilter, LosesNothingWhereTheSystemFails) {
  const ScratchFolder folder;
  int nth = 0;
  for (std::string failed = "none yet"; !failed.empty();) {
    put_filter(folder / "f", 1000);
    bool is_in = false;
    {
      const testing::FailingCall failing(++nth, EIO);
      try {
        SharedFilter shared = open_shared(folder / "f");
        shared.insert("in");
        is_in = true;
        shared.close();
      } catch (const StoreError&) {
      }
      failed = failing.failed();
    }
    SCOPED_TRACE(std::to_string(nth) + ": " + failed);
    EXPECT_EQ(open_shared(folder / "f").may_contain("in"), is_in);
    EXPECT_EQ(load(folder / "f").may_contain("in"), is_in);
  }
  EXPECT_GT(nth, 15);
}

// A file by another mount is other memory, and has other locks.
TEST(SharedFilter, RefusesWhatOthersMayHaveByAnotherWay) {
  const ScratchFolder folder;
  put_filter(folder / "f");
  constexpr SharedOptions kAsk{.access = SharedOptions::read_only};
  const auto refused = ThrowsMessage<StoreError>(HasSubstr("is on FUSE"));
  const auto refuses = [&] {
    const testing::FileSystemIs fuse(0x65735546);
    EXPECT_THAT([&] { open_shared(folder / "f"); }, refused);
    if (!inspect(folder / "f").is_live) return;
    EXPECT_THAT([&] { seal(folder / "f"); }, refused);
  };
  refuses();
  EXPECT_FALSE(inspect(folder / "f").is_live);
  {
    const SharedFilter shared = open_shared(folder / "f", kStaysLive);
    const testing::FileSystemIs fuse(0x65735546);
    EXPECT_THAT([&] { open_shared(folder / "f"); }, refused);
    EXPECT_THAT([&] { open_shared(folder / "f", kAsk); }, refused);
  }
  for (const std::uint32_t magic : {0x6969U, 0x19830326U, 0xbacbacbcU}) {
    const testing::FileSystemIs remote(magic);
    EXPECT_THROW(open_shared(folder / "f"), StoreError);
  }
  refuses();
  edit_head(folder / "f", [](FileHeader& header) { header.open_for_writing = true; });
  refuses();
  EXPECT_TRUE(inspect(folder / "f").is_live);
  EXPECT_FALSE(open_shared(folder / "f").may_contain("nothing"));
}

}  // namespace
}  // namespace bloomery
