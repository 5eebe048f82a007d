// SPDX-License-Identifier: Apache-2.0
// The notes of a live file that one process moves while others ask it.
#include "bloomery/store/live_notes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/store/mapped_filter.h"
#include "bloomery/store/messages.h"
#include "bloomery/store/native_file.h"
#include "bloomery/store/shared_filter.h"
#include "bloomery/store/shared_place.h"
#include "tests/store/read_write.h"
#include "tests/store/scratch_folder.h"
#include "tests/store/shared_files.h"
#include "tests/store/system_faults.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using testing::ScratchFolder;
using ::testing::ThrowsMessage;

constexpr Identity kSource{7, 8};
const FileNotes kNotes{.watermark = 5, .identity = {1, 2}, .source = kSource, .beat = 3};
constexpr SharedOptions kMover{.moves_notes = true};
constexpr SharedOptions kMoverStaysLive{.seal_at_close = false, .moves_notes = true};
constexpr SharedOptions kAsked{.access = SharedOptions::read_only};

Watermark at(std::uint64_t position) {
  return {kSource, position};
}

HashPair pair_of(const std::string& name) {
  static const BlockedFilter like({.capacity = kCapacity});
  return like.hash(Key(name));
}

// A step of a mover: one key, and then the watermark and a chain that both tell which.
void step(SharedFilter& shared, std::uint64_t number) {
  const std::array hashes{pair_of(key(1, static_cast<int>(number)))};
  shared.apply(hashes);
  shared.advance(at(number), std::string(number % 500, 'c'));
}

// Puts a live file that nobody has open, and whose notes were moved to 9.
void put_moved(const std::filesystem::path& path) {
  put_filter(path, kCapacity, kNotes);
  SharedFilter mover = open_shared(path, kMoverStaysLive);
  step(mover, 9);
}

void put_sequence(const std::filesystem::path& path, std::uint64_t sequence) {
  RegularFile::open(path, RegularFile::Access::read_write)
      .write(std::as_bytes(std::span(&sequence, 1)), kLiveNotesAt);
}

TEST(LiveNotes, AreReadBesideTheirBits) {
  const ScratchFolder folder;
  put_filter(folder / "f", kCapacity, kNotes);
  {
    SharedFilter mover = open_shared(folder / "f", kMover);
    EXPECT_EQ(mover.reached(), at(5)) << "the header's, until they move";
    SharedFilter reader = open_shared(folder / "f", kAsked);
    const std::array hashes{pair_of("a"), pair_of("b"), pair_of("a")};
    EXPECT_EQ(mover.apply(hashes), 2U);
    EXPECT_EQ(reader.reached(), at(5));
    EXPECT_TRUE(reader.may_contain("b"));
    EXPECT_EQ(reader.inserted(), 2U);
    mover.advance(at(9), "chain");
    EXPECT_EQ(reader.reached(), at(9));
    EXPECT_EQ(reader.notes().beat, 4U);
    EXPECT_EQ(reader.notes().identity, kNotes.identity);
    EXPECT_EQ(inspect(folder / "f").notes.reached(), at(9));
    const LoadedFile copied = reader.copy_noted();
    EXPECT_EQ(copied.chain, "chain");
    EXPECT_EQ(copied.notes.reached(), at(9));
    EXPECT_TRUE(copied.filter.may_contain("a"));
    mover.advance(std::nullopt, std::string(kMostLiveChain + 1, 'x'));
    EXPECT_EQ(reader.reached(), at(5)) << "the header's is older, and holds";
    EXPECT_EQ(reader.copy_noted().chain, "");
    mover.advance(at(11), std::string(kMostLiveChain, 'y'));
  }
  const LoadedFile whole = load_noted(folder / "f", 1 << 30);
  EXPECT_EQ(whole.notes.reached(), at(11));
  EXPECT_EQ(whole.notes.identity, kNotes.identity);
  EXPECT_EQ(whole.chain, std::string(kMostLiveChain, 'y'));
  EXPECT_EQ(whole.filter.inserted(), 2U);
  // The file is made live again: what leaves no room for notes that move is left out.
  SharedFilter mover = open_shared(folder / "f", kMover);
  EXPECT_EQ(mover.copy_noted().chain, "");
  EXPECT_EQ(mover.reached(), at(11));
}

// The body stays where it is.
TEST(LiveNotes, AreNotInAFileWhoseHeadIsLong) {
  const ScratchFolder folder;
  save(BlockedFilter({.capacity = 1000}), folder / "f", {.chain = std::string(5000, 'x')});
  const std::string before = testing::read_file(folder / "f");
  EXPECT_THAT([&] { open_shared(folder / "f", kMover); },
              ThrowsMessage<StoreError>(HasSubstr("leave no room")));
  EXPECT_EQ(testing::read_file(folder / "f"), before);
  save(BlockedFilter({.capacity = 1000}), folder / "g", {.chain = std::string(3000, 'x')});
  EXPECT_EQ(open_shared(folder / "g", kMover).copy_noted().chain, "");
  EXPECT_FALSE(load(folder / "g").may_contain("none"));
}

// A copy of the same file has the same head, and its bits and notes fit together: its mover alone
// would go on from what is no longer there.
TEST(LiveNotes, AreNotMovedOverAnOlderCopy) {
  const ScratchFolder folder;
  put_filter(folder / "f", kCapacity, kNotes);
  SharedFilter mover = open_shared(folder / "f", kMoverStaysLive);
  step(mover, 9);
  const std::string older = testing::read_file(folder / "f");
  step(mover, 10);
  RegularFile::open(folder / "f", RegularFile::Access::read_write)
      .write(std::as_bytes(std::span(older)), 0);
  EXPECT_EQ(mover.reached(), at(9));
  EXPECT_THROW(step(mover, 11), StoreError);
  EXPECT_THROW(mover.advance(at(11), ""), StoreError);
  EXPECT_EQ(mover.reached(), at(9));
}

// The processes that had it live were killed, and none of them moved its notes.
TEST(LiveNotes, MoveInALiveFileThatNobodyHas) {
  const ScratchFolder folder;
  put_filter(folder / "f", kCapacity, kNotes);
  { open_shared(folder / "f", kStaysLive).insert("theirs"); }
  SharedFilter mover = open_shared(folder / "f", kMover);
  step(mover, 9);
  EXPECT_TRUE(mover.may_contain("theirs"));
  EXPECT_EQ(mover.inserted(), 2U);
}

TEST(LiveNotes, AreReplacedWithTheirFile) {
  const ScratchFolder folder;
  put_filter(folder / "f", kCapacity, kNotes);
  SharedFilter mover = open_shared(folder / "f", kMover);
  step(mover, 9);
  std::filesystem::permissions(folder / "f", std::filesystem::perms(0640));
  const BlockedFilter next({.capacity = 1000});
  EXPECT_THROW(save(next, folder / "f"), BusyError);
  save(next, folder / "f", {.over_live = true});
  EXPECT_FALSE(mover.is_named());
  EXPECT_TRUE(mover.may_contain(Key(key(1, 9)))) << "it keeps what it has";
  EXPECT_EQ(inspect(folder / "f").contents.parameters.capacity, 1000U);
  EXPECT_EQ(std::filesystem::status(folder / "f").permissions(), std::filesystem::perms(0640));
  save(next, folder / "f", {.over_live = true});  // also over one that is whole, and where none is
  save(next, folder / "g", {.over_live = true});
  testing::write_file(folder / "g", testing::read_file(folder / "g").substr(0, 100));
  save(next, folder / "g", {.over_live = true});
}

TEST(LiveNotes, AnswerBehindAFence) {
  const ScratchFolder folder;
  put_filter(folder / "f", kCapacity, kNotes);
  SharedFilter mover = open_shared(folder / "f", kMover);
  SharedPlace place(FileLocation(folder / "f"), /*writes=*/false);
  const Fence fence{at(6)};
  const CallContext behind{.fence = &fence};
  EXPECT_EQ(place.presence_of("none", behind), Presence::unknown);
  EXPECT_THROW(place.copy(behind), std::invalid_argument);
  step(mover, 6);
  EXPECT_EQ(place.presence_of("none", behind), Presence::absent);
  EXPECT_EQ(place.presence_of(Key(key(1, 6)), behind), Presence::maybe);
  EXPECT_EQ(place.head().watermark, at(6));
  EXPECT_TRUE(place.copy(behind).may_contain(Key(key(1, 6))));
}

TEST(LiveNotes, HaveOneWriter) {
  const ScratchFolder folder;
  put_filter(folder / "f", kCapacity, kNotes);
  EXPECT_THROW(open_shared(folder / "f", {.access = SharedOptions::read_only, .moves_notes = true}),
               std::invalid_argument);
  {
    SharedFilter sharer = open_shared(folder / "f");
    EXPECT_THROW(sharer.apply({}), StoreError);
    EXPECT_THROW(sharer.advance(at(9), ""), StoreError);
    EXPECT_THAT([&] { open_shared(folder / "f", kMover); },
                ThrowsMessage<StoreError>(HasSubstr("its watermark cannot be moved")));
  }
  SharedFilter mover = open_shared(folder / "f", kMover);
  EXPECT_THAT([&] { open_shared(folder / "f", kMover); },
              ThrowsMessage<BusyError>(HasSubstr("another process keeps it in step")));
  const pid_t other = spawn([&] { open_shared(folder / "f", kMover); });
  EXPECT_NE(status_of(other), 0);
  EXPECT_TRUE(open_shared(folder / "f").insert("by another who shares it"));
  mover.close();
  EXPECT_THROW(mover.advance(at(9), ""), StoreError);
  step(mover = open_shared(folder / "f", kMover), 6);
}

// A process that is killed while it writes them leaves what is neither the old notes nor the new
// ones.
TEST(LiveNotes, ThatAreHalfWrittenAreNotRead) {
  const ScratchFolder folder;
  for (const bool seals : {false, true}) {
    put_moved(folder / "f");
    put_sequence(folder / "f", 3);
    EXPECT_EQ(inspect(folder / "f").notes.reached(), at(5));
    EXPECT_EQ(open_shared(folder / "f", kStaysLiveAsked).reached(), at(5));
    if (seals) {
      seal(folder / "f");
      EXPECT_EQ(load_noted(folder / "f", 1 << 30).notes.reached(), at(5));
    } else {
      SharedFilter mover = open_shared(folder / "f", kMover);
      EXPECT_EQ(mover.reached(), at(5));
      step(mover, 10);
      EXPECT_EQ(open_shared(folder / "f", kStaysLiveAsked).reached(), at(10));
    }
    EXPECT_TRUE(load(folder / "f").may_contain(Key(key(1, 9)))) << "bits are never taken back";
  }
}

TEST(LiveNotes, ThatAreDamagedAreNotSealed) {
  const ScratchFolder folder;
  put_moved(folder / "f");
  std::string bytes = testing::read_file(folder / "f");
  bytes[kLiveNotesAt + 8] ^= 1;
  testing::write_file(folder / "f", bytes);
  EXPECT_EQ(inspect(folder / "f").notes.reached(), at(5));
  seal(folder / "f");
  EXPECT_EQ(inspect(folder / "f").notes.reached(), at(5));
}

// The notes may come to the disk before the machine goes down, and their bits not.
TEST(LiveNotes, OfAnotherStartOfTheMachineAreNotTaken) {
  const ScratchFolder folder;
  put_moved(folder / "f");
  std::string bytes = testing::read_file(folder / "f");
  edit_head(folder / "f", [](FileHeader& header) { ++header.live->boot.low; });
  const std::string other = testing::read_file(folder / "f");
  bytes.replace(0, kLiveNotesAt, other, 0, kLiveNotesAt);  // the notes stay
  testing::write_file(folder / "f", bytes);
  EXPECT_EQ(inspect(folder / "f").notes.reached(), at(5));
  recover(folder / "f");
  const LoadedFile recovered = load_noted(folder / "f", 1 << 30);
  EXPECT_EQ(recovered.notes.reached(), at(5));
  EXPECT_EQ(recovered.chain, "");
}

// The power may go when the bits that the notes speak of are not on the disk yet.
TEST(LiveNotes, AreSealedAfterTheirBitsCameToTheDisk) {
  const ScratchFolder folder;
  put_moved(folder / "f");
  const testing::BeforeCall first(1, "fsync", [&] {
    EXPECT_EQ(inspect(folder / "f").notes.reached(), at(5));
    std::filesystem::copy_file(folder / "f", folder / "then");
  });
  seal(folder / "f");
  EXPECT_TRUE(first.has_run());
  EXPECT_EQ(inspect(folder / "f").notes.reached(), at(9));
  recover(folder / "then");
  EXPECT_EQ(inspect(folder / "then").notes.reached(), at(5));
}

TEST(LiveNotes, AreGoneWhereTheFileWasCut) {
  const ScratchFolder folder;
  put_moved(folder / "f");
  const auto size = std::filesystem::file_size(folder / "f");
  std::filesystem::resize_file(folder / "f", 8192);
  std::filesystem::resize_file(folder / "f", size);
  EXPECT_THROW(open_shared(folder / "f", kMover), StoreError);
  recover(folder / "f");
  const LoadedFile recovered = load_noted(folder / "f", 1 << 30);
  EXPECT_EQ(recovered.notes.reached(), std::nullopt);
  EXPECT_EQ(recovered.chain, "");
  EXPECT_FALSE(recovered.notes.identity.is_set());
}

// A child that is killed at the end of its scope.
struct Killed {
  ~Killed() {
    kill(child, SIGKILL);
    status_of(child);
  }
  const pid_t child;
};

// A child moves them, and is killed; whatever is read meanwhile is of one moment, and the bits are
// there.
TEST(LiveNotes, AreNeverAheadOfTheBits) {
  const ScratchFolder folder;
  put_filter(folder / "f", kCapacity, kNotes);
  open_shared(folder / "f", kMoverStaysLive).close();
  const SharedFilter reader = open_shared(folder / "f", kStaysLiveAsked);
  SharedPlace place(FileLocation(folder / "f"), /*writes=*/false);
  std::uint64_t seen = 5;
  for (int round = 0; round < 3; ++round) {
    const Killed killed{spawn([&] {
      SharedFilter mover = open_shared(folder / "f", kMoverStaysLive);
      for (std::uint64_t number = seen + 1;; ++number) step(mover, number);
    })};
    const auto ended = [&] { return waitpid(killed.child, nullptr, WNOHANG) != 0; };
    for (const std::uint64_t until = seen + 2000; seen < until;) {
      // The next step, which the child is about to make.
      seen = std::max(seen, place.head().watermark->position) + 1;
      const Fence fence{at(seen)};
      const std::string next = key(1, static_cast<int>(seen));
      auto answer = Presence::unknown;
      while (answer == Presence::unknown && !ended()) {
        answer = place.presence_of(Key(next), {.fence = &fence});
      }
      ASSERT_EQ(answer, Presence::maybe) << seen;
      if (seen % 7 != 0) continue;
      const LoadedFile copied = reader.copy_noted();
      const std::uint64_t position = copied.notes.watermark;
      if (position == 5) continue;  // the child was stopped while it wrote
      ASSERT_EQ(copied.chain.size(), position % 500);
      ASSERT_TRUE(copied.filter.may_contain(Key(key(1, static_cast<int>(position)))));
      const std::uint64_t inspected = inspect(folder / "f").notes.watermark;
      ASSERT_TRUE(inspected >= position || inspected == 5);
    }
    ASSERT_FALSE(ended());
    // The child has not come so far when it is killed.
    seen += 1'000'000;
  }
}

}  // namespace
}  // namespace bloomery
