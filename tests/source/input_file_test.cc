// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/input_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "bloomery/errors.h"
#include "source_helpers.h"
#include "temporary_folder.h"

namespace bloomery {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(InputFile, SaysWhyAFileCannotBeOpened) {
  const TemporaryFolder folder;
  const std::string missing = folder.path("missing.txt");
  EXPECT_THAT(message_of<StoreError>([&] { InputFile::open(missing); }),
              AllOf(HasSubstr(missing), HasSubstr("No such file or directory")));
  EXPECT_THAT(message_of<StoreError>([&] { InputFile::open(folder.path("")); }),
              HasSubstr("Is a directory"));
  EXPECT_THROW(InputFile::open(folder.path(std::string(300, 'a'))), StoreError);
}

TEST(InputFile, SaysWhyReadingFailed) {
  InputFile write_only(::open("/dev/null", O_WRONLY | O_CLOEXEC), "the output");
  std::array<char, 4> bytes{};
  EXPECT_THAT(message_of<StoreError>([&] { write_only.read(bytes.data(), bytes.size()); }),
              AllOf(HasSubstr("the output: cannot be read"), HasSubstr("Bad file descriptor")));
}

// A program that shares the pipe may have made it non-blocking.
TEST(InputFile, WaitsWhereThePipeDoesNot) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
  InputFile file(ends[0], "the pipe");
  std::thread writer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(write(ends[1], "abc", 3), 3);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    close(ends[1]);
  });
  std::array<char, 4> bytes{};
  EXPECT_EQ(file.read(bytes.data(), bytes.size()), 3U);
  EXPECT_EQ(file.read(bytes.data(), bytes.size()), 0U);
  writer.join();
}

TEST(InputFile, StartsAgainWhereItStoodWhenItCame) {
  const TemporaryFolder folder;
  const int descriptor = ::open(folder.write("f", "headbody").c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(lseek(descriptor, 4, SEEK_SET), 4);
  InputFile file(descriptor, "f");
  std::array<char, 16> bytes{};
  EXPECT_EQ(file.byte_count(), 4U);
  EXPECT_EQ(file.read(bytes.data(), bytes.size()), 4U);
  EXPECT_EQ(file.read(bytes.data(), bytes.size()), 0U);
  file.restart();
  EXPECT_EQ(file.read(bytes.data(), 1), 1U);
  EXPECT_EQ(bytes[0], 'b');
  EXPECT_EQ(file.read_at(1, bytes.data(), 2), 2U);
  EXPECT_EQ(std::string(bytes.data(), 2), "od");
  EXPECT_EQ(file.read(bytes.data(), bytes.size()), 3U) << "read_at moved the file";
}

TEST(InputFile, ReadsAFifoOnce) {
  const TemporaryFolder folder;
  const std::string path = folder.path("fifo");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] {
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    EXPECT_EQ(write(descriptor, "abc", 3), 3);
    close(descriptor);
  });
  InputFile file = InputFile::open(path);
  std::array<char, 16> bytes{};
  EXPECT_EQ(file.read(bytes.data(), bytes.size()), 3U);
  EXPECT_EQ(file.read(bytes.data(), bytes.size()), 0U);
  writer.join();
  EXPECT_FALSE(file.is_regular());
  EXPECT_EQ(file.byte_count(), std::nullopt);
  EXPECT_THROW(file.restart(), StoreError);
}

std::atomic<int> signals_seen = 0;

// A reader that blocks in an empty pipe is interrupted, and must not notice.
TEST(InputFile, GoesOnAfterASignal) {
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = [](int) { ++signals_seen; };  // without SA_RESTART: read() fails with EINTR
  ASSERT_EQ(sigaction(SIGUSR1, &action, &before), 0);
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  InputFile file(ends[0], "pipe");
  std::atomic<bool> reading = false;
  std::string got;
  std::thread reader([&] {
    std::array<char, 16> bytes{};
    reading = true;
    got.assign(bytes.data(), file.read(bytes.data(), bytes.size()));
    got.assign(bytes.data(), got.size());
  });
  while (!reading) std::this_thread::yield();
  // Many, because one may come before the reader is in the call, and until they are seen, because a
  // sanitizer may hold one back.
  while (signals_seen < 50) {
    ASSERT_EQ(pthread_kill(reader.native_handle(), SIGUSR1), 0);
    std::this_thread::yield();
  }
  EXPECT_EQ(write(ends[1], "x", 1), 1);
  reader.join();
  close(ends[1]);
  EXPECT_EQ(got, "x");
  sigaction(SIGUSR1, &before, nullptr);
}

}  // namespace
}  // namespace bloomery
