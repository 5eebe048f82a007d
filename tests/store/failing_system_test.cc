// SPDX-License-Identifier: Apache-2.0
// What the system refuses is an error with a name, and the file stays what it was.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>

#include "bloomery/errors.h"
#include "bloomery/store/file_location.h"
#include "bloomery/store/filter_editor.h"
#include "bloomery/store/mapped_filter.h"
#include "bloomery/store/native_file.h"
#include "tests/store/read_write.h"
#include "tests/store/sample_filters.h"
#include "tests/store/scratch_folder.h"
#include "tests/store/system_faults.h"
#include "tests/support/keys.h"

namespace bloomery {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using testing::FailingCall;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kReadWrite;
using testing::read_file;
using testing::sample;
using testing::ScratchFolder;
using ::testing::ThrowsMessage;

// Runs `action` with its first, second, ... call failing until it makes no more calls than that;
// visits after each failure. Returns how many failed.
int fail_each_call(const std::function<void()>& action, const std::string& file,
                   const std::function<void(const std::string& call)>& after) {
  for (int nth = 1;; ++nth) {
    std::string failed;
    std::string message;
    {
      const FailingCall fault(nth, EIO);
      try {
        action();
      } catch (const StoreError& error) {
        message = error.what();
      }
      failed = fault.failed();
    }
    if (failed.empty()) {
      EXPECT_EQ(message, "");
      return nth - 1;
    }
    SCOPED_TRACE("call " + std::to_string(nth) + ", " + failed);
    EXPECT_THAT(message, AllOf(HasSubstr(file), HasSubstr("Input/output error")));
    after(failed);
  }
}

class FailingSystem : public ::testing::Test {
 protected:
  AnyFilter old_ = sample(FilterKind::blocked, {.capacity = 500});
  AnyFilter new_ = sample(FilterKind::classic, {.capacity = 100'000});
  ScratchFolder folder_;
  std::filesystem::path file_ = folder_ / "f.bloom";
};

TEST_F(FailingSystem, SavingAnewLeavesNothingBehind) {
  const int failures =
      fail_each_call([&] { save(new_, file_); }, "f.bloom",
                     [&](const std::string&) {
                       // The file is there, whole, only if syncing the folder failed.
                       if (!folder_.names().empty()) load(file_);
                       EXPECT_THAT(folder_.names(), AnyOf(IsEmpty(), ElementsAre("f.bloom")));
                       std::filesystem::remove(file_);
                     });
  EXPECT_GE(failures, 7);
}

TEST_F(FailingSystem, ReplacingLeavesTheOldFileOrTheNew) {
  save(old_, file_);
  const std::string before = read_file(file_);
  int replaced = 0;
  const int failures = fail_each_call([&] { save(new_, file_); }, "f.bloom",
                                      [&](const std::string& call) {
                                        EXPECT_THAT(folder_.names(), ElementsAre("f.bloom"));
                                        if (read_file(file_) != before) {
                                          EXPECT_EQ(call, "fsync");
                                          ++replaced;
                                          load(file_);
                                          save(old_, file_);
                                        }
                                      });
  EXPECT_EQ(replaced, 1) << "the sync of the folder comes after the rename";
  EXPECT_GE(failures, 10);
}

TEST_F(FailingSystem, SavesWithoutNamelessFiles) {
  for (int round = 0; round < 2; ++round) {
    const FailingCall unsupported(1, EOPNOTSUPP, "O_TMPFILE");
    save(new_, file_);
    EXPECT_EQ(unsupported.failed(), "O_TMPFILE");
  }
  EXPECT_EQ(load(file_).inserted(), new_.inserted());
  EXPECT_THAT(folder_.names(), ElementsAre("f.bloom"));
}

TEST_F(FailingSystem, ClearsAwayWhatAKilledWriterLeft) {
  save(old_, file_);
  testing::write_file(folder_ / ".f.bloom.new", std::string(1 << 20, 'x'));
  save(new_, file_);
  EXPECT_EQ(load(file_).inserted(), new_.inserted());
  testing::write_file(folder_ / ".f.bloom.new", std::string(1 << 20, 'x'));
  {
    const FailingCall unsupported(1, EOPNOTSUPP, "O_TMPFILE");
    save(old_, file_);
  }
  EXPECT_EQ(load(file_).inserted(), old_.inserted());
  EXPECT_THAT(folder_.names(), ElementsAre("f.bloom"));
}

TEST_F(FailingSystem, AFailedSyncIsNotTriedAgain) {
  save(old_, file_);
  const FailingCall fault(1, EIO, "fsync");
  EXPECT_THROW(save(new_, file_), StoreError);
  EXPECT_EQ(fault.calls(), 1);
}

TEST_F(FailingSystem, GoesOnAfterInterruptionsAndShortTransfers) {
  const testing::HaltingCalls halting;
  save(new_, file_);
  EXPECT_EQ(load(file_).inserted(), new_.inserted());
  MappedFilter mapped = open_mapped(file_, kReadWrite);
  mapped.insert("more");
  mapped.close();
  EXPECT_TRUE(load(file_).may_contain("more"));
}

TEST_F(FailingSystem, ReadingSaysWhatFailed) {
  save(new_, file_);
  const auto nothing = [](const std::string&) {};
  EXPECT_GE(fail_each_call([&] { load(file_); }, "f.bloom", nothing), 4);
  EXPECT_GE(fail_each_call([&] { inspect(file_, true); }, "f.bloom", nothing), 4);
  EXPECT_GE(fail_each_call([&] { open_mapped(file_); }, "f.bloom", nothing), 2);
}

TEST_F(FailingSystem, EditingLeavesTheOldFileOrTheNew) {
  save(old_, file_);
  fail_each_call(
      [&] {
        FilterEditor editor(file_);
        editor.filter().insert("one more");
        editor.commit();
      },
      "f.bloom",
      [&](const std::string&) {
        EXPECT_TRUE(load(file_).may_contain("member:0"));
        EXPECT_THAT(folder_.names(), ElementsAre("f.bloom"));
      });
  EXPECT_TRUE(load(file_).may_contain("one more"));
}

TEST_F(FailingSystem, AMapThatCannotBeClosedIsNotTakenForWhole) {
  const auto write_mapped = [&] {
    MappedFilter mapped = open_mapped(file_, kReadWrite);
    mapped.insert("one more");
    mapped.flush();
    mapped.close();
  };
  save(old_, file_);
  const int failures = fail_each_call(write_mapped, "f.bloom", [&](const std::string&) {
    recover(file_);
    EXPECT_TRUE(load(file_).may_contain("member:0"));
    EXPECT_EQ(inspect(file_, true).damaged_blocks, 0U);
  });
  EXPECT_GE(failures, 12);
}

// Runs it in a process of its own, which may lower its limits; 0 is success.
int run_apart(const std::function<bool()>& action) {
  const pid_t child = fork();
  if (child == 0) {
    bool done = false;
    try {
      done = action();
    } catch (const std::exception& error) {
      fprintf(stderr, "%s\n", error.what());
    }
    _exit(done ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

bool refuses(const std::function<void()>& action, const std::string& reason) {
  try {
    action();
  } catch (const StoreError& error) {
    if (std::string(error.what()).find(reason) != std::string::npos) return true;
    fprintf(stderr, "%s\n", error.what());
  }
  return false;
}

TEST_F(FailingSystem, ALimitOnFileSizesIsAnError) {
  save(old_, file_);
  const std::string before = read_file(file_);
  const std::uint64_t whole = 4096 + new_.contents().word_count() * 8 + 4 * 2;
  for (const std::uint64_t limit : {std::uint64_t{1}, std::uint64_t{4096}, whole / 2, whole - 1}) {
    const int status = run_apart([&] {
      const rlimit lowered{limit, limit};
      setrlimit(RLIMIT_FSIZE, &lowered);
      return refuses([&] { save(new_, file_); }, "ulimit -f");
    });
    EXPECT_EQ(status, 0) << limit;
    EXPECT_EQ(read_file(file_), before);
    EXPECT_THAT(folder_.names(), ElementsAre("f.bloom"));
  }
}

TEST_F(FailingSystem, NoPermissionIsAnError) {
  save(old_, file_);
  std::filesystem::permissions(file_, std::filesystem::perms::none);
  std::filesystem::permissions(folder_.path(), std::filesystem::perms(0755));
  const int status = run_apart([&] {
    if (getuid() == 0 && setuid(65534) != 0) return false;
    return refuses([&] { load(file_); }, "Permission denied") &&
           refuses([&] { inspect(file_); }, "Permission denied") &&
           refuses([&] { open_mapped(file_); }, "Permission denied") &&
           refuses([&] { save(new_, file_); }, "Permission denied");
  });
  EXPECT_EQ(status, 0);
}

TEST_F(FailingSystem, AReadOnlyFolderIsAnError) {
  save(old_, file_);
  std::filesystem::permissions(file_, std::filesystem::perms(0666));
  std::filesystem::permissions(folder_.path(), std::filesystem::perms(0555));
  const int status = run_apart([&] {
    if (getuid() == 0 && setuid(65534) != 0) return false;
    return load(file_).may_contain("member:0") &&
           refuses([&] { save(new_, file_); }, "Permission denied") &&
           refuses([&] { save(new_, folder_ / "other"); }, "Permission denied");
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(load(file_).inserted(), old_.inserted());
  std::filesystem::permissions(folder_.path(), std::filesystem::perms(0755));
}

TEST_F(FailingSystem, WhatIsChangedInPlaceWhileItIsReadIsNotDamaged) {
  const auto old_keys = testing::texts(50, "old:");
  int changes = 0;
  for (const bool closes : {true, false}) {
    for (int nth = 1; nth <= 5; ++nth) {
      SCOPED_TRACE(::testing::Message() << closes << nth);
      AnyFilter filter = sample(FilterKind::blocked, {.capacity = 100'000});
      for (const std::string& key : old_keys) filter.insert(key);
      save(filter, file_);
      std::optional<MappedFilter> writer;
      const testing::BeforeCall change(nth, "pread", [&] {
        writer.emplace(file_, kReadWrite);
        for (int i = 0; i < 1000; ++i) writer->insert("new:" + std::to_string(i));
        if (closes) writer->close();
        ++changes;
      });
      try {
        const AnyFilter read = load(file_);
        for (const std::string& key : old_keys) EXPECT_TRUE(read.may_contain(key));
      } catch (const FormatError& error) {
        EXPECT_FALSE(closes);
        EXPECT_THAT(error.what(), HasSubstr("a writer has it open"));
      }
      if (!change.has_run()) break;
    }
  }
  EXPECT_GE(changes, 6);
}

// The bits of one filter under the settings of another say "absent" of keys that they hold.
TEST(FailingForeignFile, SettingsBesideAFileNeverOutliveItsBitsOrComeBefore) {
  const ScratchFolder folder;
  const auto location = parse_file_location("redisson:" + (folder / "users").string());
  const auto keys = testing::texts(50, "member:");
  const auto filled = [&](std::uint64_t capacity) {
    AnyFilter filter = location.format->create({.capacity = capacity}, {});
    for (const std::string& key : keys) filter.insert(key);
    return filter;
  };
  const AnyFilter before = filled(100);
  const AnyFilter after = filled(5'000);
  save(before.contents(), location);
  int known = 0;
  const int calls =
      fail_each_call([&] { save(after.contents(), location); }, "users",
                     [&](const std::string&) {
                       try {
                         const AnyFilter now = load(location);
                         for (const std::string& key : keys)
                           EXPECT_TRUE(now.may_contain(key)) << key;
                         ++known;
                       } catch (const FormatError& error) {
                         EXPECT_THAT(error.what(), HasSubstr("is not known; make it again"));
                       }
                       save(before.contents(), location);
                     });
  EXPECT_GT(known, calls / 2);
  for (const std::string& key : keys) EXPECT_TRUE(load(location).may_contain(key)) << key;
  EXPECT_EQ(load(location).capacity(), after.capacity());
}

TEST(FailingForeignFile, MakingOneLeavesBothFilesOrNeither) {
  for (const bool replace : {false, true}) {
    for (const bool is_stale : {false, true}) {
      if (is_stale && !replace) continue;  // refused
      SCOPED_TRACE(::testing::Message() << replace << is_stale);
      const ScratchFolder folder;
      const auto location = parse_file_location("redisson:" + (folder / "users").string());
      AnyFilter filter = location.format->create({.capacity = 100}, {});
      filter.insert("alice");
      const std::string stale = "size=64\nhashIterations=1\n";
      const auto begin_anew = [&] {
        for (const std::string& name : folder.names()) std::filesystem::remove(folder / name);
        if (is_stale) std::ofstream(folder / "users.config") << stale;
      };
      begin_anew();
      int made = 0;
      const int calls =
          fail_each_call([&] { save(filter.contents(), location, {.replace = replace}); }, "users",
                         [&](const std::string& call) {
                           if (std::filesystem::exists(folder / "users")) {
                             EXPECT_TRUE(load(location).may_contain("alice"));
                             EXPECT_EQ(call, "fsync");
                             ++made;
                           } else if (is_stale) {
                             EXPECT_EQ(read_file(folder / "users.config"), stale);
                           } else {
                             EXPECT_THAT(folder.names(), IsEmpty());
                           }
                           begin_anew();
                         });
      EXPECT_GE(made, 1) << "where only a folder was not synced";
      EXPECT_GT(calls, 10);
      EXPECT_TRUE(load(location).may_contain("alice"));
    }
  }
}

// A file that somebody else made meanwhile never stands under our settings.
TEST(FailingForeignFile, AFileThatSomebodyMadeMeanwhileKeepsItsSettings) {
  const ScratchFolder folder;
  const auto location = parse_file_location("redisson:" + (folder / "users").string());
  const AnyFilter filter = location.format->create({.capacity = 100}, {});
  int named = 0;
  for (const char* naming : {"linkat", "renameat2"}) {
    // The name that the first naming gives is the settings', the second the file's.
    const FailingCall fault(2, EEXIST, naming);
    try {
      save(filter.contents(), location, {.replace = false});
    } catch (const StoreError& error) {
      EXPECT_THAT(error.what(), HasSubstr("already exists"));
    }
    if (fault.failed().empty()) {
      for (const std::string& name : folder.names()) std::filesystem::remove(folder / name);
    } else {
      EXPECT_THAT(folder.names(), IsEmpty());
      ++named;
    }
  }
  EXPECT_EQ(named, 1);
}

}  // namespace
}  // namespace bloomery
