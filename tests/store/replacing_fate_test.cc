// SPDX-License-Identifier: Apache-2.0
// How a file takes the place of another: links, permissions, and processes that die.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <iostream>
#include <random>
#include <thread>

#include "bloomery/errors.h"
#include "bloomery/store/filter_editor.h"
#include "bloomery/store/native_file.h"
#include "tests/store/sample_filters.h"
#include "tests/store/scratch_folder.h"

namespace bloomery {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::read_file;
using testing::sample;
using testing::ScratchFolder;
using ::testing::ThrowsMessage;

unsigned mode_of(const std::filesystem::path& path) {
  struct stat about {};
  EXPECT_EQ(stat(path.c_str(), &about), 0);
  return about.st_mode & 07777;
}

TEST(Replacing, FollowsALinkAndKeepsIt) {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder / "data");
  std::filesystem::create_symlink("data/real", folder / "link");
  for (const std::uint64_t capacity : {5, 50}) {  // the first makes the file
    save(sample(FilterKind::blocked, {.capacity = capacity}), folder / "link");
    EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
    EXPECT_FALSE(std::filesystem::is_symlink(folder / "data" / "real"));
    EXPECT_EQ(load(folder / "link").capacity(), capacity);
  }
  FilterEditor editor(folder / "link");
  editor.filter().insert("x");
  editor.commit();
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
}

TEST(Replacing, KeepsPermissions) {
  const ScratchFolder folder;
  const AnyFilter filter = sample(FilterKind::blocked, {.capacity = 5});
  const mode_t mask = umask(027);
  save(filter, folder / "f");
  umask(mask);
  EXPECT_EQ(mode_of(folder / "f"), 0640U);
  chmod((folder / "f").c_str(), 0604);
  save(filter, folder / "f");
  EXPECT_EQ(mode_of(folder / "f"), 0604U);
}

// A service could not read its own filter otherwise, after root saved it.
TEST(Replacing, KeepsOwnerAndGroupWhereItMay) {
  if (getuid() != 0) GTEST_SKIP() << "only root gives files away";
  const ScratchFolder folder;
  const AnyFilter filter = sample(FilterKind::blocked, {.capacity = 5});
  save(filter, folder / "f");
  ASSERT_EQ(chown((folder / "f").c_str(), 4321, 1234), 0);
  ASSERT_EQ(chmod((folder / "f").c_str(), 0640), 0);
  const auto expect_kept = [&] {
    struct stat about {};
    ASSERT_EQ(stat((folder / "f").c_str(), &about), 0);
    EXPECT_EQ(about.st_uid, 4321U);
    EXPECT_EQ(about.st_gid, 1234U);
    EXPECT_EQ(about.st_mode & 07777, 0640U);
  };
  save(filter, folder / "f");
  expect_kept();
  {
    FilterEditor editor(folder / "f");
    editor.filter().insert("x");
    editor.commit();
  }
  expect_kept();
  // A user that may not give the file away still saves, and the file is then that user's.
  ASSERT_EQ(chmod(folder.path().c_str(), 0777), 0);
  ASSERT_EQ(chmod((folder / "f").c_str(), 0666), 0);
  const pid_t child = fork();
  if (child == 0) {
    if (setgid(5555) != 0 || setuid(5555) != 0) _exit(1);
    try {
      save(filter, folder / "f");
      _exit(0);
    } catch (const std::exception& error) {
      std::cerr << error.what() << "\n";
      _exit(2);
    }
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(Replacing, HidesSecretsFromOthers) {
  const ScratchFolder folder;
  const AnyFilter secret = sample(FilterKind::blocked, {.capacity = 5, .secret = true});
  save(secret, folder / "new");
  EXPECT_EQ(mode_of(folder / "new"), 0600U);
  save(sample(FilterKind::blocked, {.capacity = 5}), folder / "old");
  chmod((folder / "old").c_str(), 0644);
  save(secret, folder / "old");
  EXPECT_EQ(mode_of(folder / "old"), 0600U);
}

TEST(Replacing, SurvivesBeingKilledAtAnyMoment) {
  const ScratchFolder folder;
  const AnyFilter old_filter = sample(FilterKind::blocked, {.capacity = 1000});
  const AnyFilter new_filter = sample(FilterKind::classic, {.capacity = 100'000});
  save(old_filter, folder / "f");
  std::mt19937_64 random(3);
  for (int round = 0; round < 120; ++round) {
    const bool anew = round % 3 == 0;
    const auto path = folder / (anew ? "g" : "f");
    std::array<int, 2> ready{};
    ASSERT_EQ(pipe(ready.data()), 0);
    const pid_t child = fork();
    if (child == 0) {
      if (write(ready[1], "x", 1) != 1) _exit(1);
      for (;;) {
        save(new_filter, path);
        save(old_filter, path);
      }
    }
    char byte = 0;
    ASSERT_EQ(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(ready[1]);
    usleep(static_cast<useconds_t>(random() % 8000));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    if (std::filesystem::exists(path)) {
      const auto inserted = load(path).inserted();
      EXPECT_TRUE(inserted == old_filter.inserted() || inserted == new_filter.inserted());
    } else {
      EXPECT_TRUE(anew);
    }
    std::filesystem::remove(folder / "g");
    EXPECT_LE(folder.names().size(), 3U) << "at most one temporary file a name";
  }
  save(old_filter, folder / "f");
  save(old_filter, folder / "g");
  save(old_filter, folder / "g");
  EXPECT_EQ(folder.names().size(), 2U);
}

// Inserts a key of its own twelve times, each time as often as it takes to get the lock.
void write_twelve(const std::filesystem::path& path, const std::string& name) {
  for (int round = 0; round < 12;) {
    try {
      FilterEditor editor(path);
      editor.filter().insert(name + std::to_string(round));
      editor.commit();
      ++round;
    } catch (const StoreError& error) {
      if (std::string(error.what()).find("another process is writing") == std::string::npos) {
        fprintf(stderr, "%s\n", error.what());
        _exit(1);
      }
      usleep(200);
    }
  }
  _exit(0);
}

void read_until_killed(const std::filesystem::path& path) {
  std::uint64_t inserted = 0;
  for (;;) {
    const AnyFilter filter = load(path);
    if (filter.inserted() < inserted) _exit(2);
    inserted = filter.inserted();
  }
}

TEST(Replacing, LosesNothingBetweenThreeWriters) {
  const ScratchFolder folder;
  save(make_filter(FilterKind::blocked, {.capacity = 1000}), folder / "f");
  std::vector<pid_t> writers;
  for (const char* name : {"a", "b", "c"}) {
    writers.push_back(fork());
    if (writers.back() == 0) write_twelve(folder / "f", name);
  }
  const pid_t reader = fork();
  if (reader == 0) {
    try {
      read_until_killed(folder / "f");
    } catch (const std::exception& error) {
      fprintf(stderr, "%s\n", error.what());
      _exit(1);
    }
  }
  for (const pid_t writer : writers) {
    int status = 0;
    waitpid(writer, &status, 0);
    EXPECT_EQ(status, 0);
  }
  int status = 0;
  kill(reader, SIGKILL);
  waitpid(reader, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status)) << "the reader saw a file that was not whole, or an older one";
  const AnyFilter filter = load(folder / "f");
  for (const std::string name : {"a", "b", "c"}) {
    for (int round = 0; round < 12; ++round) {
      EXPECT_TRUE(filter.may_contain(name + std::to_string(round)));
    }
  }
  EXPECT_THAT(folder.names(), ElementsAre("f"));
}

TEST(Replacing, FreesTheLockOfAWriterThatDied) {
  const ScratchFolder folder;
  save(make_filter(FilterKind::blocked, {.capacity = 10}), folder / "f");
  std::array<int, 2> ready{};
  ASSERT_EQ(pipe(ready.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    const FilterEditor editor(folder / "f");
    if (write(ready[1], "x", 1) != 1) _exit(1);
    for (;;) pause();
  }
  char byte = 0;
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  EXPECT_THROW(FilterEditor(folder / "f"), StoreError);
  EXPECT_EQ(load(folder / "f").inserted(), 0U);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  close(ready[0]);
  close(ready[1]);
  FilterEditor editor(folder / "f");
  editor.commit();
}

}  // namespace
}  // namespace bloomery
