// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/block_reader.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "source_helpers.h"
#include "temporary_folder.h"

namespace bloomery {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using namespace std::string_literals;

constexpr std::uint64_t kNoLimit = std::uint64_t{1} << 40;

// Returns the records of a block that the reader has filled.
std::vector<std::string> records_in(const Block& block, const RecordEnds& ends) {
  std::vector<std::string_view> records;
  cut_records(block.text(), ends, records);
  return {records.begin(), records.end()};
}

std::vector<std::string> records_of(const std::string& bytes, const RecordEnds& ends = {}) {
  const TemporaryFolder folder;
  InputFile file = InputFile::open(folder.write("f", bytes));
  BlockReader reader(file, ends, kNoLimit);
  std::vector<std::string> records;
  std::uint64_t byte_count = 0;
  // A block is full while the next is read.
  std::array<Block, 2> blocks;
  for (std::size_t i = 0; reader.next(blocks[i % 2]); ++i) {
    EXPECT_EQ(blocks[i % 2].is_first(), i == 0);
    byte_count += blocks[i % 2].text().size();
    EXPECT_EQ(blocks[i % 2].byte_count(), byte_count);
    const auto more = records_in(blocks[i % 2], ends);
    EXPECT_TRUE(!more.empty() || ends.csv_delimiter);
    records.insert(records.end(), more.begin(), more.end());
  }
  EXPECT_EQ(byte_count, bytes.size());
  return records;
}

TEST(BlockReader, KeepsEveryByteBetweenSeparators) {
  EXPECT_THAT(records_of(""), SizeIs(0));
  EXPECT_THAT(records_of("a\nb\n"), ElementsAre("a", "b"));
  EXPECT_THAT(records_of("a\nb"), ElementsAre("a", "b"));
  EXPECT_THAT(records_of("\n\na\n\n"), ElementsAre("", "", "a", ""));
  EXPECT_THAT(records_of("a\r\nb\0c\xff\n"s), ElementsAre("a\r", "b\0c\xff"s));
  EXPECT_THAT(records_of("a\nb\0\0c"s, {.separator = '\0'}), ElementsAre("a\nb", "", "c"));
}

TEST(BlockReader, KeepsARecordWholeThatGoesOnBetweenQuotes) {
  const RecordEnds ends{.csv_delimiter = ","};
  std::string text = "1,\"two\nlines\"\n2,\"a \"\"b\"\"\n\"\n3,";
  // A quoted record reaches over blocks.
  const std::string large = "\"" + std::string(700'000, '\n') + "\"";
  text += large + "\n4,x\n";
  EXPECT_THAT(records_of(text, ends),
              ElementsAre("1,\"two\nlines\"", "2,\"a \"\"b\"\"\n\"", "3," + large, "4,x"));
  EXPECT_THAT(records_of("1\n\"2\n3\n", ends), ElementsAre("1")) << "never closed";
  EXPECT_THAT(records_of("1,5\" disk\n2,\"7\"\" disk\"\n3,6\" pipe\n", ends),
              ElementsAre("1,5\" disk", "2,\"7\"\" disk\"", "3,6\" pipe"));
}

// Lengths around the size of a block, so that records straddle reads in every way.
TEST(BlockReader, JoinsRecordsAcrossBlocks) {
  std::mt19937 random(7);
  for (const std::size_t longest : {20, 5'000, 300'000, 1'000'000}) {
    std::vector<std::string> wanted;
    std::string bytes;
    while (bytes.size() < 3'000'000) {
      wanted.emplace_back(random() % longest, static_cast<char>('a' + random() % 26));
      bytes += wanted.back() + "\n";
    }
    EXPECT_TRUE(records_of(bytes) == wanted) << longest;
  }
}

TEST(BlockReader, ReadsALineOfAHundredMegabytes) {
  const std::string line(100'000'000, 'x');
  const auto records = records_of("a\n" + line + "\nb\n");
  ASSERT_EQ(records.size(), 3U);
  EXPECT_TRUE(records[1] == line);
  EXPECT_EQ(records[2], "b");
}

TEST(BlockReader, RefusesARecordBeyondTheLimitAndSaysWhere) {
  const TemporaryFolder folder;
  InputFile file = InputFile::open(folder.write("f.txt", "a\nb\n" + std::string(2'000'000, 'x')));
  BlockReader reader(file, {}, 1'000'000);
  Block block;
  EXPECT_TRUE(reader.next(block));
  EXPECT_EQ(block.text(), "a\nb\n");
  try {
    reader.next(block);
    FAIL();
  } catch (const TooLongRecord& record) {
    EXPECT_THAT(record.why, AllOf(HasSubstr("is longer than"), HasSubstr("the limit is 977 KiB")));
  }
}

TEST(BlockReader, HandsOutWhatASlowPipeHasSent) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  InputFile file(ends[0], "pipe");
  BlockReader reader(file, {}, kNoLimit);
  Block block;
  EXPECT_TRUE(reader.would_wait());
  ASSERT_EQ(write(ends[1], "a\nb\nc", 5), 5);
  EXPECT_FALSE(reader.would_wait());
  ASSERT_TRUE(reader.next(block));
  EXPECT_EQ(block.text(), "a\nb\n");
  ASSERT_EQ(write(ends[1], "o", 1), 1);
  ASSERT_TRUE(reader.next(block));
  EXPECT_EQ(block.text(), "");
  ASSERT_EQ(write(ends[1], "d\ne", 3), 3);
  ASSERT_TRUE(reader.next(block));
  EXPECT_EQ(block.text(), "cod\n");
  close(ends[1]);
  ASSERT_TRUE(reader.next(block));
  EXPECT_EQ(block.text(), "e");
  EXPECT_FALSE(reader.next(block));
}

}  // namespace
}  // namespace bloomery
