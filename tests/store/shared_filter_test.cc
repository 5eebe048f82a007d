// SPDX-License-Identifier: Apache-2.0
#include "bloomery/store/shared_filter.h"
#include "bloomery/errors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "bloomery/store/machine_start.h"
#include "bloomery/store/native_file.h"
#include "tests/store/read_write.h"
#include "tests/store/sample_filters.h"
#include "tests/store/scratch_folder.h"
#include "tests/store/shared_files.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using testing::read_file;
using testing::samples;
using testing::ScratchFolder;
using ::testing::ThrowsMessage;
using testing::write_file;

TEST(SharedFilter, ProcessesInsertAndAskAtOnce) {
  const ScratchFolder folder;
  put_filter(folder / "f");
  constexpr int kProcesses = 4;
  constexpr int kKeys = 3000;
  std::vector<pid_t> children;
  for (int process = 0; process < kProcesses; ++process) {
    children.push_back(spawn([&] {
      SharedFilter shared = open_shared(folder / "f");
      std::vector<std::string> batch;
      for (int i = 0; i < kKeys; ++i) {
        if (i % 2 == 0) {
          shared.insert(key(process, i));
          if (!shared.may_contain(key(process, i))) throw std::logic_error("denied");
        } else {
          batch.push_back(key(process, i));
        }
      }
      shared.insert_many(testing::keys_of(batch));
      shared.close();
    }));
  }
  for (const pid_t child : children) EXPECT_EQ(status_of(child), 0);

  // The last one made it whole.
  const AnyFilter loaded = load(folder / "f");
  for (int process = 0; process < kProcesses; ++process) {
    for (int i = 0; i < kKeys; ++i) ASSERT_TRUE(loaded.may_contain(key(process, i)));
  }
  // Some of the keys seemed to be there, as by chance they do.
  EXPECT_LE(loaded.inserted(), kProcesses * kKeys);
  EXPECT_GT(loaded.inserted(), kProcesses * kKeys * 99 / 100);
  EXPECT_EQ(inspect(folder / "f", true).damaged_blocks, 0U);
}

// Counts what a child has done, where its parent sees it also after the child's death.
struct Progress {
  std::atomic<int> inserted{0};
  std::atomic<int> rounds{0};
};

// Children open, insert one by one and in batches, close and open again, and are killed whenever it
// comes, so also while they make the file live, join, count and seal.
TEST(SharedFilter, KilledAtAnyMomentNoInsertIsLost) {
  const ScratchFolder folder;
  put_filter(folder / "f", 3000);
  constexpr int kProcesses = 3;
  constexpr int kRounds = 40;
  constexpr int kBatch = 40;
  void* const memory = mmap(nullptr, sizeof(Progress) * kProcesses * kRounds,
                            PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto* const progress = new (memory) Progress[kProcesses * kRounds];
  std::mt19937 random(7);
  int was_left_live = 0;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<pid_t> children;
    for (int i = round * kProcesses; i < (round + 1) * kProcesses; ++i) {
      children.push_back(spawn([&, i] {
        int number = 0;
        for (;;) {
          SharedFilter shared = open_shared(folder / "f");
          for (int each = 0; each < 20; ++each) {
            shared.insert(key(i, number));
            progress[i].inserted.store(++number);
          }
          std::vector<std::string> batch;
          for (int each = 0; each < kBatch; ++each) batch.push_back(key(i, number + each));
          shared.insert_many(testing::keys_of(batch));
          progress[i].inserted.store(number += kBatch);
          shared.close();
          progress[i].rounds.fetch_add(1);
          if (number > 1200) return;
        }
      }));
    }
    for (const pid_t child : children) {
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 6000));
      kill(child, SIGKILL);
      status_of(child);
    }
    was_left_live += inspect(folder / "f").is_live ? 1 : 0;
    SharedFilter shared = open_shared(folder / "f", kStaysLive);
    for (int i = 0; i < (round + 1) * kProcesses; ++i) {
      for (int number = 0; number < progress[i].inserted.load(); ++number) {
        ASSERT_TRUE(shared.may_contain(key(i, number)))
            << "round " << round << ", " << key(i, number);
      }
    }
  }
  seal(folder / "f");
  const AnyFilter loaded = load(folder / "f");
  std::uint64_t returned = 0;
  for (int i = 0; i < kProcesses * kRounds; ++i) {
    for (int number = 0; number < progress[i].inserted.load(); ++number) {
      ASSERT_TRUE(loaded.may_contain(key(i, number)));
    }
    returned += static_cast<std::uint64_t>(progress[i].inserted.load());
  }
  // The test tried nothing if fewer were left live.
  EXPECT_GT(was_left_live, kRounds / 4);
  EXPECT_GT(returned, 100U);
  munmap(memory, sizeof(Progress) * kProcesses * kRounds);
}

// Each child merges a filter of its own while the others merge and insert, and one is killed
// within.
TEST(SharedFilter, MergesWhileOthersInsert) {
  const ScratchFolder folder;
  put_filter(folder / "f");
  constexpr int kKeys = 2000;
  SharedFilter shared = open_shared(folder / "f");
  std::vector<pid_t> children;
  for (int process = 0; process < 3; ++process) {
    children.push_back(spawn([&, process] {
      BlockedFilter own({.capacity = kCapacity});
      for (int i = 0; i < kKeys; ++i) own.insert(key(process, i));
      SharedFilter mine = open_shared(folder / "f");
      do {
        mine.filter().merge(own.contents());
      } while (process == 2);
      for (int i = 0; i < kKeys; ++i) mine.insert(key(process + 10, i));
    }));
  }
  while (!shared.may_contain(key(2, 0))) std::this_thread::yield();
  kill(children[2], SIGKILL);
  EXPECT_EQ(status_of(children[0]), 0);
  EXPECT_EQ(status_of(children[1]), 0);
  EXPECT_EQ(status_of(children[2]), SIGKILL);
  for (const int process : {0, 1, 10, 11}) {
    for (int i = 0; i < kKeys; ++i) ASSERT_TRUE(shared.may_contain(key(process, i)));
  }
  shared.close();
  EXPECT_EQ(inspect(folder / "f", true).damaged_blocks, 0U);
}

TEST(SharedFilter, SaysThatItWasClosed) {
  const ScratchFolder folder;
  put_filter(folder / "f");
  SharedFilter shared = open_shared(folder / "f");
  SharedFilter taken = std::move(shared);
  EXPECT_THROW(shared.flush(), StoreError);  // NOLINT(bugprone-use-after-move)
  taken.close();
  EXPECT_FALSE(taken.is_damaged());
  EXPECT_THROW(taken.flush(), StoreError);
  EXPECT_THROW(taken.copy(), StoreError);
  MappedFilter mapped = open_mapped(folder / "f");
  mapped.close();
  EXPECT_FALSE(mapped.is_damaged());
}

TEST(SharedFilter, CountsWhatItMerges) {
  const ScratchFolder folder;
  put_filter(folder / "f");
  SharedFilter shared = open_shared(folder / "f");
  BlockedFilter own({.capacity = kCapacity});
  BlockedFilter same({.capacity = kCapacity});
  for (int i = 0; i < 10'000; ++i) {
    if (i < 6000) shared.insert(key(0, i));
    if (i >= 4000) own.insert(key(0, i));
    same.insert(key(0, i));
  }
  shared.filter().merge(own.contents());
  EXPECT_NEAR(static_cast<double>(shared.inserted()), 10'000, 100);
  shared.filter().merge(own.contents());  // which adds nothing
  EXPECT_NEAR(static_cast<double>(shared.inserted()), 10'000, 100);
  EXPECT_TRUE(std::ranges::equal(shared.copy().contents().words.front(), same.words()));
  EXPECT_THROW(shared.filter().merge(BlockedFilter({.capacity = 10}).contents()),
               IncompatibleError);
  SharedFilter reader(folder / "f", kStaysLiveAsked);
  EXPECT_THROW(reader.filter().merge(own.contents()), StoreError);
}

TEST(SharedFilter, CountsAcrossProcessesAndDeaths) {
  const ScratchFolder folder;
  // A table of one checksum has four bytes for the count, others eight.
  for (const std::uint64_t capacity : {std::uint64_t{1000}, kCapacity}) {
    SCOPED_TRACE(capacity);
    put_filter(folder / "f", capacity);
    std::uint64_t expected = 0;
    for (const int process : {1, 2, 3}) {
      SharedFilter shared = open_shared(folder / "f", {.seal_at_close = process == 2});
      for (int i = 0; i < 200; ++i) expected += shared.insert(key(process, i)) ? 1U : 0U;
      EXPECT_EQ(shared.inserted(), expected);
      std::vector<std::string> batch;
      for (int i = 100; i < 400; ++i) batch.push_back(key(process, i));
      std::unique_ptr<bool[]> was_new(new bool[batch.size()]);
      const std::size_t added =
          shared.insert_many(testing::keys_of(batch), {was_new.get(), batch.size()});
      EXPECT_EQ(added, static_cast<std::size_t>(
                           std::count(was_new.get(), was_new.get() + batch.size(), true)));
      expected += added;
      EXPECT_EQ(shared.insert_many(testing::keys_of(batch)), 0U);
      EXPECT_EQ(shared.inserted(), expected);
      EXPECT_EQ(shared->contents().inserted, expected);
    }
    EXPECT_TRUE(inspect(folder / "f").is_live);
    EXPECT_EQ(inspect(folder / "f").contents.inserted, expected);
    seal(folder / "f");
    EXPECT_EQ(load(folder / "f").inserted(), expected);
    // The bytes of the sealed file are those of a file that one process wrote.
    const std::string sealed = read_file(folder / "f");
    save(load(folder / "f"), folder / "again");
    EXPECT_EQ(sealed, read_file(folder / "again"));
    seal(folder / "f");
    EXPECT_EQ(sealed, read_file(folder / "f"));
  }
}

// A process that was killed while it wrote the checksums left the count in the header.
TEST(SharedFilter, GoesOnAfterASealThatWasKilled) {
  const ScratchFolder folder;
  const auto kill_its_seal = [&] {
    put_filter(folder / "f");
    { open_shared(folder / "f", kStaysLive).insert("in"); }
    edit_head(folder / "f", [](FileHeader& header) {
      header.open_for_writing = true;
      header.contents.inserted = 1;
    });
    std::string bytes = read_file(folder / "f");
    bytes[bytes.size() - 1] ^= 0x55;  // of the table, which was written in part
    write_file(folder / "f", bytes);
    EXPECT_THROW(load(folder / "f"), FormatError);
  };
  kill_its_seal();
  // A reader makes it whole, and is to open it as such.
  EXPECT_THAT([&] { open_shared(folder / "f", {.access = SharedOptions::read_only}); },
              ThrowsMessage<StoreError>(HasSubstr("is not live")));
  EXPECT_FALSE(inspect(folder / "f").is_live);
  EXPECT_TRUE(load(folder / "f").may_contain("in"));
  EXPECT_EQ(load(folder / "f").inserted(), 1U);
  kill_its_seal();
  SharedFilter shared = open_shared(folder / "f");
  EXPECT_TRUE(shared.may_contain("in"));
  EXPECT_EQ(shared.inserted(), 1U);
  shared.insert("and");
  shared.close();
  EXPECT_EQ(load(folder / "f").inserted(), 2U);
}

TEST(SharedFilter, ChildrenOfForkShareWhatTheirParentOpened) {
  const ScratchFolder folder;
  put_filter(folder / "f");
  SharedFilter shared = open_shared(folder / "f");
  shared.insert("of the parent");
  std::vector<pid_t> children;
  for (const int process : {0, 1}) {
    children.push_back(spawn([&] {
      if (!shared.may_contain("of the parent")) throw std::logic_error("denied");
      for (int i = 0; i < 100; ++i) shared.insert(key(process, i));
      if (shared.is_damaged()) throw std::logic_error("damaged");
      shared.flush();
      shared.close();
    }));
  }
  for (const pid_t child : children) EXPECT_EQ(status_of(child), 0);
  // None of those that closed it was the last.
  EXPECT_TRUE(inspect(folder / "f").is_live);
  EXPECT_TRUE(shared.may_contain(key(1, 99)));
  EXPECT_EQ(shared.inserted(), 201U);

  // The parent is not the last either while a child lives that has it.
  std::array<int, 2> pipe_ends{};
  ASSERT_EQ(pipe(pipe_ends.data()), 0);
  const pid_t child = spawn([&] {
    char c = 0;
    if (read(pipe_ends[0], &c, 1) != 1) throw std::logic_error("no parent");
    shared.insert("after the parent closed it");
    shared.close();
  });
  shared.close();
  EXPECT_TRUE(inspect(folder / "f").is_live);
  EXPECT_THROW(load(folder / "f"), FormatError);
  EXPECT_EQ(write(pipe_ends[1], "x", 1), 1);
  EXPECT_EQ(status_of(child), 0);
  close(pipe_ends[0]);
  close(pipe_ends[1]);
  const AnyFilter loaded = load(folder / "f");
  EXPECT_TRUE(loaded.may_contain("after the parent closed it"));
  EXPECT_TRUE(loaded.may_contain(key(0, 0)));
  EXPECT_EQ(loaded.inserted(), 202U);
}

TEST(SharedFilter, TakesTheKindsThatAreChangedInPlace) {
  const ScratchFolder folder;
  for (const auto& [name, filter] : samples()) {
    SCOPED_TRACE(name);
    save(filter, folder / name);
    const FilterKind kind = filter.parameters().kind;
    if (kind != FilterKind::blocked && kind != FilterKind::classic) {
      EXPECT_THAT([path = folder / name] { open_shared(path); },
                  ThrowsMessage<StoreError>(HasSubstr("is not changed in place")));
      EXPECT_FALSE(inspect(folder / name).is_live);
      continue;
    }
    SharedFilter shared = open_shared(folder / name);
    EXPECT_TRUE(shared.may_contain("member:0"));
    shared.insert("one more");
    EXPECT_THROW(shared.filter().clear(), std::invalid_argument);
    shared.filter().merge(filter);
    const AnyFilter copy = shared.copy();
    EXPECT_TRUE(copy.may_contain("one more"));
    shared.close();
    EXPECT_TRUE(load(folder / name).may_contain("one more"));
    EXPECT_TRUE(load(folder / name).keys() == filter.keys());
  }
}

TEST(SharedFilter, KeepsTheNotes) {
  const ScratchFolder folder;
  const FileNotes notes{.watermark = 7, .note = "a note", .epoch = 3, .identity = {1, 2}};
  put_filter(folder / "f", 1000, notes);
  const std::string before = read_file(folder / "f");
  {
    const SharedFilter shared = open_shared(folder / "f");
    EXPECT_EQ(shared.notes().note, "a note");
  }
  EXPECT_EQ(read_file(folder / "f"), before);
  put_filter(folder / "long", 1000, {.note = std::string(4000, 'x')});
  EXPECT_THAT([&] { open_shared(folder / "long"); },
              ThrowsMessage<StoreError>(HasSubstr("a shorter note")));
}

TEST(SharedFilter, ThreadsOfAProcessShareIt) {
  const ScratchFolder folder;
  put_filter(folder / "f");
  SharedFilter shared = open_shared(folder / "f");
  std::atomic<std::uint64_t> added{0};
  std::vector<std::thread> threads;
  for (const int thread : {0, 1, 2}) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 1000; ++i) {
        added += shared.insert(key(thread, i)) ? 1U : 0U;
        EXPECT_TRUE(shared.may_contain(key(thread, i)));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(shared.inserted(), added.load());
  shared.close();
  EXPECT_EQ(load(folder / "f").inserted(), added.load());
}

TEST(SharedFilter, MovesAndCloses) {
  const ScratchFolder folder;
  put_filter(folder / "f");
  SharedFilter first = open_shared(folder / "f");
  SharedFilter second = std::move(first);
  second.insert("moved");
  first = std::move(second);
  EXPECT_TRUE(first.may_contain("moved"));
  first.close();
  first.close();
  EXPECT_TRUE(load(folder / "f").may_contain("moved"));
}

TEST(BootId, IsOneForThisMachine) {
  EXPECT_TRUE(boot_id().is_set());
  EXPECT_EQ(boot_id(), boot_id());
}

}  // namespace
}  // namespace bloomery
