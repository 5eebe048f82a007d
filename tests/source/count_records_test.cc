// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/count_records.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/source/block_reader.h"
#include "temporary_folder.h"

namespace bloomery {
namespace {

TEST(CountByte, AgreesWithCountingOneByOne) {
  std::mt19937 random(1);
  std::string bytes(100'000, 'x');
  for (char& byte : bytes) byte = random() % 3 == 0 ? '\n' : 'x';
  for (const std::size_t length : {0, 1, 63, 64, 65, 16'319, 16'320, 16'384, 99'999, 100'000}) {
    const std::span<const char> part(bytes.data(), length);
    EXPECT_EQ(count_byte(part, '\n'), std::count(part.begin(), part.end(), '\n')) << length;
  }
}

TEST(CountByte, DoesNotOverflowWhereEveryByteCounts) {
  const std::string bytes(1'000'000, '\n');
  EXPECT_EQ(count_byte(bytes, '\n'), 1'000'000U);
}

TEST(CountRecords, IsWhatTheReaderFinds) {
  const TemporaryFolder folder;
  const std::string big = std::string(700'000, 'a') + "\n" + std::string(300'000, '\n') + "b";
  for (const std::string& text : {std::string(), std::string("\n"), std::string("a"),
                                  std::string("a\n"), std::string("\n\na\n\nb"), big}) {
    InputFile file = InputFile::open(folder.write("f", text));
    const std::uint64_t counted = count_records(file);
    BlockReader reader(file, {}, 1 << 30);
    Block block;
    std::vector<std::string_view> records;
    std::uint64_t found = 0;
    while (reader.next(block)) {
      cut_records(block.text(), {}, records);
      found += records.size();
    }
    EXPECT_EQ(counted, found) << text.size() << " bytes";
  }
}

TEST(CountRecords, IsTheSameForSeveralThreads) {
  const TemporaryFolder folder;
  std::mt19937 random(2);
  std::string text(17'000'000, 'x');
  for (std::size_t i = 0; i < text.size(); i += 1 + random() % 100) text[i] = '\n';
  for (const char* const end : {"\n", "x"}) {
    const InputFile file = InputFile::open(folder.write("f", text + end));
    const std::uint64_t counted = count_records(file);
    EXPECT_EQ(counted, 1 + static_cast<std::uint64_t>(std::ranges::count(text, '\n')));
    for (const unsigned threads : {2U, 3U, 100U}) {
      EXPECT_EQ(count_records(file, '\n', threads), counted) << threads;
    }
  }
}

TEST(CountRecords, CountsNulSeparatedRecords) {
  const TemporaryFolder folder;
  const std::string text("a\nb\0c\0d", 7);
  EXPECT_EQ(count_records(InputFile::open(folder.write("f", text)), '\0'), 3U);
}

TEST(CountRecords, RefusesAPipe) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  EXPECT_THROW(count_records(InputFile(ends[0], "pipe")), StoreError);
  close(ends[1]);
}

}  // namespace
}  // namespace bloomery
