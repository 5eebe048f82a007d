#include "cli/output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <string>

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

INSTANTIATE_TEST_SUITE_P(Output, OutputBeside, ::testing::Bool());

}  // namespace
}  // namespace bloomery::cli
