// SPDX-License-Identifier: Apache-2.0
// Mapped files and what may befall them: forks, crashes, truncation, other files of their name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "bloomery/errors.h"
#include "bloomery/format/kinds.h"
#include "bloomery/store/mapped_filter.h"
#include "bloomery/store/native_file.h"
#include "tests/store/later_field.h"
#include "tests/store/lose_pages.h"
#include "tests/store/read_write.h"
#include "tests/store/sample_filters.h"
#include "tests/store/scratch_folder.h"
#include "tests/support/stored_words.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using testing::keys_of;
using testing::kReadWrite;
using testing::read_file;
using testing::sample;
using testing::sample_members;
using testing::samples;
using testing::ScratchFolder;
using testing::stored_words;
using ::testing::ThrowsMessage;

std::size_t count_held(const MappedFilter& filter, const std::vector<std::string>& keys) {
  return static_cast<std::size_t>(
      std::ranges::count_if(keys, [&](const auto& key) { return filter.may_contain(key); }));
}

// Opens the file read-write in another process, inserts, flushes or not, and dies.
void insert_and_die(const std::filesystem::path& path, const std::vector<std::string>& keys,
                    bool flush) {
  const pid_t child = fork();
  if (child == 0) {
    MappedFilter mapped = open_mapped(path, kReadWrite);
    mapped.insert_many(keys_of(keys));
    if (flush) mapped.flush();
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

TEST(MappedFilter, IsRefusedAfterACrashUntilRecovered) {
  const ScratchFolder folder;
  const auto more = testing::texts(300, "more:");
  for (const bool flush : {false, true}) {
    save(sample(FilterKind::blocked, {.capacity = 1000}), folder / "f");
    insert_and_die(folder / "f", more, flush);
    const auto unclean = ThrowsMessage<FormatError>(HasSubstr(".recover = true"));
    EXPECT_THAT([&] { load(folder / "f"); }, unclean);
    EXPECT_THAT([&] { open_mapped(folder / "f"); }, unclean);
    EXPECT_THAT([&] { open_mapped(folder / "f", kReadWrite); }, unclean);
    const MappedFilter mapped = open_mapped(folder / "f", {.verify = true, .recover = true});
    EXPECT_EQ(count_held(mapped, more), more.size());
    EXPECT_EQ(count_held(mapped, sample_members()), 500U);
    EXPECT_NEAR(static_cast<double>(mapped->inserted()), 800, 40);
    EXPECT_TRUE(load(folder / "f").may_contain("more:0"));
  }
}

// A full disk refuses a page.
TEST(MappedFilter, NoInsertReturnsThatAPageWhichTheDiskRefusedHas) {
  const ScratchFolder folder;
  save(sample(FilterKind::blocked, {.capacity = 100'000}), folder / "f");
  MappedFilter mapped = open_mapped(folder / "f", kReadWrite);
  testing::lose_pages(folder / "f", 4096, 25 * 4096);
  std::vector<std::string> members;
  for (int i = 0; i < 40; ++i) members.push_back("new:" + std::to_string(i));
  EXPECT_THROW(mapped.insert_many(keys_of(members)), StoreError);
  EXPECT_THROW(mapped.insert("one more"), StoreError);
  EXPECT_TRUE(mapped.may_contain("member:0"));
  EXPECT_THROW(mapped.close(), StoreError);
}

// Runs `body` in a child of fork(), and returns its exit status.
template <class Body>
int exit_status_of_child(Body body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(MappedFilter, AForkedChildNeitherWritesNorClosesItsParentsFile) {
  const ScratchFolder folder;
  save(sample(FilterKind::blocked, {.capacity = 500}), folder / "f");
  std::optional<MappedFilter> mapped = open_mapped(folder / "f", kReadWrite);
  AnyFilter& writable = mapped->writable();
  EXPECT_EQ(exit_status_of_child([&] {
              int wrong = mapped->may_contain("member:0") ? 0 : 1;
              try {
                writable.insert("of the child");
                wrong += 2;
              } catch (const StoreError&) {
              }
              try {
                mapped->flush();
                wrong += 4;
              } catch (const StoreError&) {
              }
              mapped.reset();
              return wrong;
            }),
            0);
  EXPECT_FALSE(inspect(folder / "f").closed_cleanly);
  mapped->insert("of the parent");
  mapped->close();
  EXPECT_TRUE(load(folder / "f").may_contain("of the parent"));
}

TEST(MappedFilter, AForkedChildDoesNotKeepTheLock) {
  const ScratchFolder folder;
  save(sample(FilterKind::blocked, {.capacity = 500}), folder / "f");
  int to_child[2];
  ASSERT_EQ(pipe(to_child), 0);
  std::optional<MappedFilter> mapped = open_mapped(folder / "f", kReadWrite);
  const pid_t child = fork();
  if (child == 0) {
    close(to_child[1]);
    char byte;
    _exit(read(to_child[0], &byte, 1) == 0 ? 0 : 1);  // lives until the parent lets go
  }
  mapped.reset();
  EXPECT_NO_THROW(open_mapped(folder / "f", kReadWrite).insert("more"));
  close(to_child[1]);
  close(to_child[0]);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
}

TEST(MappedFilter, SaysWhetherItSurvivesTruncation) {
  const ScratchFolder folder;
  save(sample(FilterKind::blocked, {.capacity = 500}), folder / "f");
  EXPECT_FALSE(open_mapped(folder / "f", {.survive_truncation = false}).survives_truncation());
  const MappedFilter mapped = open_mapped(folder / "f");
  EXPECT_EQ(exit_status_of_child([&] {
              if (!mapped.survives_truncation()) return 1;
              signal(SIGBUS, [](int) { _exit(7); });
              return mapped.survives_truncation() ? 2 : 0;
            }),
            0);
}

TEST(MappedFilter, AnswersMaybeWhereTheFileWasTruncated) {
  const ScratchFolder folder;
  const auto members = sample_members(20'000);
  for (const Kind& kind : filter_kinds()) {
    if (is_built_once(kind.number)) continue;
    for (const std::uint64_t left : {0, 1, 4096, 5000, 12'288, 20'001}) {
      for (const auto access : {MapOptions::read_only, MapOptions::read_write}) {
        if (access == MapOptions::read_write && !is_changed_in_place(kind.number)) continue;
        SCOPED_TRACE(std::string(kind.name) + " " + std::to_string(left));
        AnyFilter filter = make_filter(kind.number, {.capacity = 20'000});
        filter.insert_many(keys_of(members));
        std::filesystem::remove(folder / "f");
        save(filter, folder / "f");
        MappedFilter mapped = open_mapped(folder / "f", {.access = access});
        std::filesystem::resize_file(folder / "f", left);
        EXPECT_EQ(count_held(mapped, members), members.size());
        EXPECT_TRUE(mapped.is_damaged());
        if (access == MapOptions::read_write) {
          EXPECT_THROW(mapped.close(), StoreError);
        }
      }
    }
  }
}

TEST(MappedFilter, NoticesAFileThatGrew) {
  const ScratchFolder folder;
  save(sample(FilterKind::blocked, {.capacity = 500}), folder / "f");
  MappedFilter mapped = open_mapped(folder / "f", kReadWrite);
  std::filesystem::resize_file(folder / "f", 100'000);
  EXPECT_TRUE(mapped.is_damaged());
  EXPECT_THROW(mapped.close(), StoreError);
}

TEST(MappedFilter, PassesOnFaultsThatAreNotItsOwn) {
  const ScratchFolder folder;
  save(sample(FilterKind::blocked, {.capacity = 50'000}), folder / "f");
  const pid_t child = fork();
  if (child == 0) {
    const MappedFilter watched = open_mapped(folder / "f");
    const MappedFilter bare = open_mapped(folder / "f", {.survive_truncation = false});
    std::filesystem::resize_file(folder / "f", 0);
    if (!watched.may_contain("member:0")) _exit(100);
    signal(SIGALRM, SIG_DFL);
    alarm(60);  // a handler that came back to the fault for ever would end here
    _exit(bare.may_contain("member:0") ? 101 : 102);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  // A sanitizer's own handler, where there is one, ends the process otherwise.
  EXPECT_TRUE(WIFSIGNALED(status) ? WTERMSIG(status) == SIGBUS : WEXITSTATUS(status) < 100);
}

TEST(MappedFilter, OutlivesItsName) {
  const ScratchFolder folder;
  save(sample(FilterKind::blocked, {.capacity = 500}), folder / "f");
  const MappedFilter mapped = open_mapped(folder / "f");
  save(make_filter(FilterKind::blocked, {.capacity = 5}), folder / "f");
  EXPECT_EQ(count_held(mapped, sample_members()), 500U);
  std::filesystem::remove(folder / "f");
  EXPECT_EQ(count_held(mapped, sample_members()), 500U);
  EXPECT_FALSE(mapped.is_damaged());
}

TEST(MappedFilter, SaysThatItsFileWasReplacedWhileItWrote) {
  const ScratchFolder folder;
  save(sample(FilterKind::blocked, {.capacity = 500}), folder / "f");
  save(sample(FilterKind::blocked, {.capacity = 500}), folder / "other");
  MappedFilter mapped = open_mapped(folder / "f", kReadWrite);
  std::filesystem::rename(folder / "other", folder / "f");
  mapped.insert("lost");
  EXPECT_THAT([&] { mapped.flush(); }, ThrowsMessage<StoreError>(HasSubstr("replaced")));
  EXPECT_THAT([&] { mapped.close(); }, ThrowsMessage<StoreError>(HasSubstr("replaced")));
}

}  // namespace
}  // namespace bloomery
