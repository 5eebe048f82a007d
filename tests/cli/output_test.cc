// SPDX-License-Identifier: Apache-2.0
#include "cli/output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>

#include "bloomery/errors.h"

namespace bloomery::cli {
namespace {

// The parameter: whether a thread writes.
class OutputBeside : public ::testing::TestWithParam<bool> {};

TEST_P(OutputBeside, WritesWhatItWasGivenInOrder) {
  char name[] = "/tmp/bloomery-output-XXXXXX";
  const int file = mkstemp(name);
  ASSERT_GE(file, 0);
  unlink(name);
  std::string expected;
  {
    Output output(file);
    if (GetParam()) output.write_beside();
    for (const std::size_t length : {1U, 65'536U, 65'535U, 0U, 1'000'000U, 7U}) {
      const std::string piece(length, static_cast<char>('a' + length % 26));
      output.write(piece);
      output.write('\n');
      expected += piece + '\n';
      if (length < 10) output.hand_on();
    }
    output.flush();
  }
  std::string written(expected.size() + 1, '\0');
  ASSERT_EQ(pread(file, written.data(), written.size(), 0), static_cast<ssize_t>(expected.size()));
  written.pop_back();
  EXPECT_EQ(written, expected);
  close(file);
}

TEST_P(OutputBeside, SaysThatAFlushFailed) {
  const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(full, 0);
  Output output(full);
  if (GetParam()) output.write_beside();
  output.write("lost");
  EXPECT_THROW(output.flush(), StoreError);
  output.write(std::string(65'536, 'x'));
  EXPECT_THROW(output.write("y"), StoreError);
  EXPECT_THROW(output.write(std::string(100'000, 'x')), StoreError) << "longer than the buffer";
  close(full);
}

TEST_P(OutputBeside, SaysWhetherAllWasWritten) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  {
    Output output(ends[1]);
    if (GetParam()) output.write_beside();
    output.write("line\n");
    output.hand_on();
    EXPECT_TRUE(output.is_written_within(std::chrono::minutes(1)));
    char room[8];
    EXPECT_EQ(read(ends[0], room, sizeof room), 5);
  }
  close(ends[0]);
  close(ends[1]);
}

// A pipe that does not wait, because somebody who shares it said so, is waited for.
TEST_P(OutputBeside, WaitsForAReaderWhereTheDescriptorDoesNot) {
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  ASSERT_EQ(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
  constexpr std::size_t kBytes = 1'000'000;
  std::size_t count = 0;
  std::thread reader([&] {
    char room[10'000];
    for (ssize_t got = 1; got > 0; count += static_cast<std::size_t>(got)) {
      got = read(ends[0], room, sizeof room);
      if (count < 100'000) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  {
    Output output(ends[1]);
    if (GetParam()) output.write_beside();
    for (std::size_t i = 0; i < kBytes / 100; ++i) output.write(std::string(100, 'x'));
    EXPECT_NO_THROW(output.flush());
  }
  close(ends[1]);
  reader.join();
  EXPECT_EQ(count, kBytes);
  close(ends[0]);
}

INSTANTIATE_TEST_SUITE_P(Output, OutputBeside, ::testing::Bool());

}  // namespace
}  // namespace bloomery::cli
