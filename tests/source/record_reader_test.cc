#include "bloomery/source/record_reader.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <random>
#include <stdexcept>
#include <string>
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

std::vector<std::string> records_of(const std::string& bytes, char separator = '\n') {
  const TemporaryFolder folder;
  InputFile file = InputFile::open(folder.write("f", bytes));
  RecordReader reader(file, separator, kNoLimit);
  std::vector<std::string> records;
  for (auto batch = reader.next(); !batch.empty(); batch = reader.next()) {
    EXPECT_LE(batch.size(), RecordReader::kBatchRecords);
    records.insert(records.end(), batch.begin(), batch.end());
  }
  EXPECT_EQ(reader.record_count(), records.size());
  EXPECT_EQ(reader.byte_count(), bytes.size());
  return records;
}

TEST(RecordReader, KeepsEveryByteBetweenSeparators) {
  EXPECT_THAT(records_of(""), SizeIs(0));
  EXPECT_THAT(records_of("a\nb\n"), ElementsAre("a", "b"));
  EXPECT_THAT(records_of("a\nb"), ElementsAre("a", "b"));
  EXPECT_THAT(records_of("\n\na\n\n"), ElementsAre("", "", "a", ""));
  EXPECT_THAT(records_of("a\r\nb\0c\xff\n"s), ElementsAre("a\r", "b\0c\xff"s));
  EXPECT_THAT(records_of("a\nb\0\0c"s, '\0'), ElementsAre("a\nb", "", "c"));
}

// Some programs begin a UTF-8 text with a mark, which would be part of the first key.
TEST(RecordReader, TakesNoMarkOfTheEncodingForAKey) {
  EXPECT_THAT(records_of("\xef\xbb\xbf"
                         "a\n\xef\xbb\xbf"
                         "b\n"),
              ElementsAre("a",
                          "\xef\xbb\xbf"
                          "b"));
  EXPECT_THAT(records_of("\xef\xbb\xbf"
                         "a\0b"s,
                         '\0'),
              ElementsAre("\xef\xbb\xbf"
                          "a",
                          "b"))
      << "only of lines";
}

TEST(RecordReader, KeepsARecordWholeThatGoesOnBetweenQuotes) {
  const TemporaryFolder folder;
  std::string text = "1,\"two\nlines\"\n2,\"a \"\"b\"\"\n\"\n3,";
  // And over blocks.
  const std::string large = "\"" + std::string(700'000, '\n') + "\"";
  text += large + "\n4,x\n";
  InputFile file = InputFile::open(folder.write("f", text));
  RecordReader reader(file, '\n', kNoLimit, RecordReader::Quotes::hold_separators);
  std::vector<std::string> records;
  for (auto batch = reader.next(); !batch.empty(); batch = reader.next()) {
    records.insert(records.end(), batch.begin(), batch.end());
  }
  EXPECT_THAT(records, ElementsAre("1,\"two\nlines\"", "2,\"a \"\"b\"\"\n\"", "3," + large, "4,x"));
  EXPECT_EQ(reader.byte_count(), text.size());
}

// Lengths around the size of a block, so that records straddle reads in every way.
TEST(RecordReader, JoinsRecordsAcrossBlocks) {
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

TEST(RecordReader, ReadsALineOfAHundredMegabytes) {
  const std::string line(100'000'000, 'x');
  const auto records = records_of("a\n" + line + "\nb\n");
  ASSERT_EQ(records.size(), 3U);
  EXPECT_TRUE(records[1] == line);
  EXPECT_EQ(records[2], "b");
}

TEST(RecordReader, RefusesARecordBeyondTheLimitAndSaysWhere) {
  const TemporaryFolder folder;
  InputFile file = InputFile::open(folder.write("f.txt", "a\nb\n" + std::string(2'000'000, 'x')));
  RecordReader reader(file, '\n', 1'000'000);
  EXPECT_THAT(reader.next(), ElementsAre("a", "b"));
  EXPECT_THAT(message_of<std::invalid_argument>([&] { reader.next(); }),
              AllOf(HasSubstr("f.txt:3: is longer than"), HasSubstr("the limit is 977 KiB")));
}

TEST(RecordReader, HandsOutWhatASlowPipeHasSent) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  InputFile file(ends[0], "pipe");
  RecordReader reader(file, '\n', kNoLimit);
  ASSERT_EQ(write(ends[1], "a\nb\nc", 5), 5);
  EXPECT_THAT(reader.next(), ElementsAre("a", "b"));
  ASSERT_EQ(write(ends[1], "d\ne", 3), 3);
  EXPECT_THAT(reader.next(), ElementsAre("cd"));
  close(ends[1]);
  EXPECT_THAT(reader.next(), ElementsAre("e"));
  EXPECT_THAT(reader.next(), SizeIs(0));
}

}  // namespace
}  // namespace bloomery
