// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/gunzip.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <memory>
#include <random>
#include <string>
#include <thread>

#include "bloomery/errors.h"
#include "bloomery/source/count_records.h"
#include "bloomery/source/input_file.h"
#include "bloomery/source/text_source.h"
#include "source_helpers.h"
#include "temporary_folder.h"

namespace bloomery {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string gzipped(const std::string& text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string all_of(InputFile& file, std::size_t room_bytes) {
  std::string all;
  const auto room = std::make_unique<char[]>(room_bytes);
  while (const std::size_t got = file.read(room.get(), room_bytes)) all.append(room.get(), got);
  return all;
}

std::string read_back(const std::string& bytes, std::size_t room_bytes = 4096) {
  const TemporaryFolder folder;
  InputFile file = InputFile::open(folder.write("f", bytes));
  return all_of(file, room_bytes);
}

std::string noise(std::size_t byte_count) {
  std::mt19937_64 random(1);
  std::string text;
  while (text.size() < byte_count) text += std::to_string(random()) + "\n";
  return text;
}

TEST(Gunzip, ReadsWhatWasCompressed) {
  const std::string large = noise(300'000);
  for (const std::string& text : {std::string(), std::string("a\nb\n"), large}) {
    EXPECT_TRUE(read_back(gzipped(text)) == text) << text.size() << " bytes";
    EXPECT_TRUE(read_back(gzipped(text), text.size() < 10 ? 1 : 77) == text) << text.size();
  }
}

TEST(Gunzip, ReadsSeveralMembersAndZerosBehindThem) {
  const std::string one = gzipped("a\n");
  const std::string two = gzipped("b\n");
  EXPECT_EQ(read_back(one + two), "a\nb\n");
  EXPECT_EQ(read_back(one + gzipped("") + two), "a\nb\n");
  EXPECT_EQ(read_back(one + std::string(100'000, '\0')), "a\n");
  EXPECT_EQ(read_back(one + std::string(100'000, '\0') + two), "a\nb\n");
}

// A list cut short that was taken for whole would deny all keys that it lost.
TEST(Gunzip, RefusesEveryStreamThatIsNotWhole) {
  const std::string whole = gzipped("alice\nbob\ncarol\n");
  for (std::size_t size = kGzipMagic.size(); size < whole.size(); ++size) {
    EXPECT_THAT(message_of<StoreError>([&] { read_back(whole.substr(0, size)); }),
                HasSubstr("ends within its gzip stream"))
        << size;
  }
  EXPECT_THROW(read_back(whole + "more"), StoreError);
  EXPECT_THROW(read_back(whole + whole.substr(0, 12)), StoreError);
}

TEST(Gunzip, GivesNoOtherTextForAFlippedByte) {
  const std::string text = "alice\nbob\ncarol\n";
  const std::string whole = gzipped(text);
  int refused = 0;
  for (std::size_t at = kGzipMagic.size(); at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    // The bits that pad the last byte, and most of the header, mean nothing.
    try {
      EXPECT_EQ(read_back(damaged), text) << at;
    } catch (const StoreError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 20);
}

TEST(Gunzip, OfAFileIsReadTwiceAndCounted) {
  const TemporaryFolder folder;
  const std::string text = noise(50'000);
  TextSource source(InputFile::open(folder.write("keys.gz", gzipped(text))), {});
  const auto count = static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
  EXPECT_EQ(source.expected_count(), count);
  EXPECT_EQ(source.expected_byte_count(), std::nullopt);
  for (int turn = 0; turn < 2; ++turn) EXPECT_EQ(keys_of(source).size(), count);
}

TEST(Gunzip, OfAPipeIsFoundByItsFirstBytesHoweverTheyCome) {
  const auto through_pipe = [](const std::string& bytes) {
    std::array<int, 2> ends{};
    EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
    InputFile pipe(ends[0], "pipe");
    std::thread writer([&] {
      for (const char byte : bytes) EXPECT_EQ(write(ends[1], &byte, 1), 1);
      close(ends[1]);
    });
    const std::string all = all_of(pipe, 4096);
    writer.join();
    return all;
  };
  EXPECT_EQ(through_pipe(gzipped("a\nb\n")), "a\nb\n");
  for (const std::string& plain : {std::string(), std::string("\x1f"), std::string("\x1f\x8b"),
                                   std::string("\x1f\x8bx"), std::string("alice\n")}) {
    EXPECT_EQ(through_pipe(plain), plain);
  }
}

}  // namespace
}  // namespace bloomery
