// SPDX-License-Identifier: Apache-2.0
// Mapped files that are cut, grown and written over by others.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "bloomery/os/file_mapping.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kSevens = 0x7777777777777777;

// A file without a name, on a disk or in memory.
class OpenFile {
 public:
  explicit OpenFile(const char* folder) {
    std::string name = std::string(folder) + "/bloomery.XXXXXX";
    descriptor_ = FileDescriptor(mkstemp(name.data()));
    unlink(name.c_str());
  }

  int descriptor() const { return descriptor_.number(); }
  void resize(std::uint64_t size) const {
    ASSERT_EQ(ftruncate(descriptor(), static_cast<off_t>(size)), 0);
  }
  // Fills the file from the first byte on.
  void fill(std::uint64_t size) const {
    const std::string bytes(size, '\x77');
    ASSERT_EQ(pwrite(descriptor(), bytes.data(), size, 0), static_cast<ssize_t>(size));
  }

 private:
  FileDescriptor descriptor_;
};

std::vector<const char*> folders() {
  std::vector<const char*> all{"/tmp"};
  if (access("/dev/shm", W_OK) == 0) all.push_back("/dev/shm");
  return all;
}

std::uint64_t word_at(const FileMapping& mapping, std::uint64_t offset) {
  const auto* const word = reinterpret_cast<const std::uint64_t*>(mapping.bytes().data() + offset);
  return __atomic_load_n(word, __ATOMIC_RELAXED);
}

TEST(LostPages, NobodyEverReadsZerosOfThem) {
  constexpr std::uint64_t kPages = 64;
  constexpr int kThreads = 4;
  for (const char* folder : folders()) {
    std::atomic<std::uint64_t> zeros{0};
    for (int round = 0; round < 40; ++round) {
      const OpenFile file(folder);
      file.fill(kPages * kPage);
      const FileMapping mapping(file.descriptor(), kPages * kPage, FileMapping::Changes::stay_here,
                                true);
      file.resize(0);
      std::atomic<int> ready{0};
      std::vector<std::jthread> threads;
      for (int t = 0; t < kThreads; ++t) {
        threads.emplace_back([&] {
          for (++ready; ready < kThreads;) std::this_thread::yield();
          for (std::uint64_t page = 0; page < kPages; ++page) {
            for (std::uint64_t at = 0; at < kPage; at += 512) {
              zeros += word_at(mapping, page * kPage + at) == 0 ? 1 : 0;
            }
          }
        });
      }
      threads.clear();
      EXPECT_EQ(word_at(mapping, 5 * kPage), ~std::uint64_t{0});
      EXPECT_TRUE(mapping.is_damaged());
    }
    EXPECT_EQ(zeros, 0U) << folder;
  }
}

TEST(TruncationMark, TellsOfAFileThatHasGrownAgain) {
  for (const char* folder : folders()) {
    for (const std::uint64_t size : {1 * kPage, 3 * kPage, 3 * kPage + 5, std::uint64_t{100}}) {
      for (const auto changes :
           {FileMapping::Changes::stay_here, FileMapping::Changes::go_to_file}) {
        const OpenFile file(folder);
        file.fill(size);
        const FileMapping mapping(file.descriptor(), size, changes, true);
        EXPECT_FALSE(mapping.was_truncated());
        file.fill(size);  // written over, not cut
        EXPECT_FALSE(mapping.was_truncated());
        EXPECT_FALSE(mapping.is_damaged());
        file.resize(0);
        file.fill(size);
        EXPECT_EQ(word_at(mapping, 0), kSevens);
        EXPECT_TRUE(mapping.was_truncated()) << folder << " " << size;
        EXPECT_TRUE(mapping.is_damaged());
      }
    }
  }
}

TEST(TruncationMark, TellsWhileTheFileIsGone) {
  const OpenFile file("/tmp");
  file.fill(3 * kPage);
  const FileMapping mapping(file.descriptor(), 3 * kPage, FileMapping::Changes::stay_here, true);
  file.resize(kPage);
  EXPECT_TRUE(mapping.was_truncated());
  EXPECT_EQ(word_at(mapping, 0), kSevens);
  EXPECT_EQ(word_at(mapping, 2 * kPage), ~std::uint64_t{0});
}

TEST(FileMapping, ReadsWithoutSignals) {
  const OpenFile file("/tmp");
  file.fill(3 * kPage);
  const FileMapping mapping(file.descriptor(), 3 * kPage, FileMapping::Changes::stay_here, false);
  std::uint64_t words[2] = {};
  EXPECT_TRUE(mapping.read(std::as_writable_bytes(std::span(words)), kPage));
  EXPECT_EQ(words[1], kSevens);
  file.resize(kPage + 8);
  EXPECT_FALSE(mapping.read(std::as_writable_bytes(std::span(words)), kPage));
}

TEST(LostPages, SaysWhenAnotherHandlerTookItsPlace) {
  const pid_t child = fork();
  if (child == 0) {
    const OpenFile file("/tmp");
    file.fill(kPage);
    const FileMapping mapping(file.descriptor(), kPage, FileMapping::Changes::stay_here, true);
    if (!LostPages::is_handled()) _exit(1);
    signal(SIGBUS, [](int) { _exit(7); });
    _exit(LostPages::is_handled() ? 2 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace bloomery
