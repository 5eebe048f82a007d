#include "cli/output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "bloomery/errors.h"

namespace bloomery::cli {
namespace {

TEST(Output, WritesWhatItWasGivenInOrder) {
  char name[] = "/tmp/bloomery-output-XXXXXX";
  const int file = mkstemp(name);
  ASSERT_GE(file, 0);
  unlink(name);
  std::string expected;
  {
    Output output(file);
    for (const std::size_t length : {1U, 65'536U, 65'535U, 0U, 1'000'000U, 7U}) {
      const std::string piece(length, static_cast<char>('a' + length % 26));
      output.write(piece);
      output.write('\n');
      expected += piece + '\n';
    }
    output.flush();
  }
  std::string written(expected.size() + 1, '\0');
  ASSERT_EQ(pread(file, written.data(), written.size(), 0), static_cast<ssize_t>(expected.size()));
  written.pop_back();
  EXPECT_EQ(written, expected);
  close(file);
}

TEST(Output, SaysThatAFlushFailed) {
  const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(full, 0);
  Output output(full);
  output.write("lost");
  EXPECT_THROW(output.flush(), StoreError);
  output.write(std::string(65'536, 'x'));
  EXPECT_THROW(output.write("y"), StoreError);
  EXPECT_THROW(output.write(std::string(100'000, 'x')), StoreError) << "longer than the buffer";
  close(full);
}

}  // namespace
}  // namespace bloomery::cli
