#include "bloomery/store/shared_filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "bloomery/filter/blocked_filter.h"
#include "bloomery/store/boot_id.h"
#include "bloomery/store/filter_editor.h"
#include "bloomery/store/mapped_filter.h"
#include "bloomery/store/native_file.h"
#include "tests/store/later_field.h"
#include "tests/store/lose_pages.h"
#include "tests/store/read_write.h"
#include "tests/store/sample_filters.h"
#include "tests/store/scratch_folder.h"
#include "tests/store/system_faults.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using testing::kReadWrite;
using testing::read_file;
using testing::sample;
using testing::samples;
using testing::ScratchFolder;
using ::testing::ThrowsMessage;
using testing::write_file;

constexpr std::uint64_t kCapacity = 100'000;  // some blocks of checksums
constexpr SharedOptions kAtOnce{.patience = std::chrono::milliseconds(0)};
constexpr SharedOptions kStaysLive{.seal_at_close = false};
constexpr SharedOptions kStaysLiveAsked{.access = SharedOptions::read_only, .seal_at_close = false};

void put_filter(const std::filesystem::path& path, std::uint64_t capacity = kCapacity,
                FileNotes notes = {}) {
  save(BlockedFilter({.capacity = capacity}), path, {.notes = std::move(notes)});
}

std::string key(int process, int number) {
  return "process " + std::to_string(process) + " key " + std::to_string(number);
}

// Runs in a child, which then ends without a trace.
pid_t spawn(const std::function<void()>& run) {
  const pid_t child = fork();
  if (child != 0) return child;
  int status = 0;
  try {
    run();
  } catch (const std::exception& error) {
    fprintf(stderr, "%s\n", error.what());
    status = 1;
  }
  _exit(status);
}

int status_of(pid_t child) {
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

// The head of a file as another program might have left it.
void edit_head(const std::filesystem::path& path, const std::function<void(FileHeader&)>& edit) {
  std::string bytes = read_file(path);
  FileHeader header = decode_head(std::as_bytes(std::span(bytes)), bytes.size());
  edit(header);
  const auto head = encode_head(header);
  std::copy(head.begin(), head.end(), reinterpret_cast<std::byte*>(bytes.data()));
  write_file(path, bytes);
}

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

// What a child has done, where its parent sees it also after its death.
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
  // Else nothing was tried here.
  EXPECT_GT(was_left_live, kRounds / 4);
  EXPECT_GT(returned, 1000U);
  munmap(memory, sizeof(Progress) * kProcesses * kRounds);
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
    // Its bytes are those of a file that one process wrote.
    const std::string sealed = read_file(folder / "f");
    save(load(folder / "f"), folder / "again");
    EXPECT_EQ(sealed, read_file(folder / "again"));
    seal(folder / "f");
    EXPECT_EQ(sealed, read_file(folder / "f"));
  }
}

// Who was killed while he wrote the checksums left the count in the head.
TEST(SharedFilter, GoesOnAfterASealThatWasKilled) {
  const ScratchFolder folder;
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
  EXPECT_THAT([&] { open_shared(folder / "f", {.access = SharedOptions::read_only}); },
              ThrowsMessage<StoreError>(HasSubstr("was killed meanwhile")));
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

// What a live file's machine had in memory and not on the disk is gone.
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

// As on a full disk. What was inserted before and elsewhere stays for all.
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

// It goes on with the file that it has, which is nobody else's.
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

// Its writer gets a copy of the file, which has the name and the number of the old one.
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

// As one does that another thread has just forked.
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
    EXPECT_THROW(shared.filter().merge(filter), std::invalid_argument);
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

// The same file by another mount is other memory, and has other locks.
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
