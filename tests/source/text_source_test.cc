// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/text_source.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/source/block_reader.h"
#include "bloomery/source/in_order.h"
#include "source_helpers.h"
#include "temporary_folder.h"

namespace bloomery {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using namespace std::string_literals;

class TextSourceTest : public testing::Test {
 protected:
  TextSource source(const std::string& text, SourceOptions options = {}) {
    return {InputFile::open(folder_.write("keys.txt", text)), std::move(options)};
  }

  std::string fault_of(const std::string& text, SourceOptions options) {
    return message_of<std::invalid_argument>([&] {
      auto from = source(text, std::move(options));
      keys_of(from);
    });
  }

  TemporaryFolder folder_;
};

TEST_F(TextSourceTest, APlainRecordIsItsKeyWithoutACopy) {
  auto plain = source("a\n\nb\n");
  const SourceTotals totals = plain.for_each_batch([](const Batch& batch) {
    EXPECT_THAT(batch.keys, ElementsAre("a", "", "b"));
    EXPECT_EQ(batch.keys.data(), batch.lines.data());
    EXPECT_EQ(batch.first_record, 1U);
    return true;
  });
  EXPECT_EQ(totals.key_count, 3U);
  EXPECT_EQ(totals.byte_count, 5U);
  EXPECT_EQ(totals.null_count, 0U);
}

TEST_F(TextSourceTest, NumbersRecordsAndBytesAcrossBatches) {
  std::string text;
  for (int i = 0; i < 5'000; ++i) text += std::to_string(i) + "\n";
  auto numbers = source(text);
  std::uint64_t next = 1;
  const SourceTotals totals = numbers.for_each_batch([&](const Batch& batch) {
    EXPECT_EQ(batch.first_record, next);
    EXPECT_EQ(batch.lines[0], std::to_string(next - 1));
    next += batch.lines.size();
    return true;
  });
  EXPECT_EQ(totals.key_count, 5'000U);
  EXPECT_EQ(totals.byte_count, text.size());
}

TEST_F(TextSourceTest, TakesAFieldAndKeepsTheWholeLine) {
  auto fields = source("1\tann\tx\n2\t\ty\n3\tbob\n", {.field = 2});
  std::vector<std::string> lines;
  std::vector<std::string> keys;
  fields.for_each_batch([&](const Batch& batch) {
    keys.insert(keys.end(), batch.keys.begin(), batch.keys.end());
    lines.insert(lines.end(), batch.lines.begin(), batch.lines.end());
    return true;
  });
  EXPECT_THAT(keys, ElementsAre("ann", "", "bob"));
  EXPECT_THAT(lines, ElementsAre("1\tann\tx", "2\t\ty", "3\tbob"));
}

TEST_F(TextSourceTest, SplitsAtDelimitersOfSeveralBytes) {
  auto fields = source("a::b:::c\n", {.field = 3, .delimiter = "::"});
  EXPECT_THAT(keys_of(fields), ElementsAre(":c"));
  EXPECT_THROW(source("", {.field = 1, .delimiter = ""}), std::invalid_argument);
}

TEST_F(TextSourceTest, SaysWhereAFieldIsMissing) {
  EXPECT_THAT(fault_of("a,b\nc\n", {.field = 2, .delimiter = ","}),
              HasSubstr(R"(keys.txt:2: "c" has no field 2, only 1 (between ","))"));
}

TEST_F(TextSourceTest, DecodesEachEncoding) {
  auto hex = source("6162\n\nff00\n", {.encoding = KeyEncoding::hex});
  EXPECT_THAT(keys_of(hex), ElementsAre("ab", "", "\xff\0"s));
  auto base64 =
      source("x YWI=\ny YQ==", {.encoding = KeyEncoding::base64, .field = 2, .delimiter = " "});
  EXPECT_THAT(keys_of(base64), ElementsAre("ab", "a"));
  auto integers = source("1\n256\n", {.encoding = KeyEncoding::u64});
  EXPECT_THAT(keys_of(integers), ElementsAre("\1\0\0\0\0\0\0\0"s, "\0\1\0\0\0\0\0\0"s));
}

TEST_F(TextSourceTest, UnderstandsQuotesOfCommaSeparatedValues) {
  auto values = source(
      "\xef\xbb\xbf"
      "id,name\r\n1,\"Ann, B\"\r\n2,\"\"\"C\"\"\nD\"\r\n",
      {.field = 2, .delimiter = ",", .csv = true});
  EXPECT_THAT(keys_of(values), ElementsAre("name", "Ann, B", "\"C\"\nD"));
  EXPECT_TRUE(values.had_byte_order_mark());
  EXPECT_EQ(values.line_with_return(), 0U);
  EXPECT_THROW(source("a\n", {.csv = true}), std::invalid_argument) << "which field?";
}

TEST_F(TextSourceTest, NormalisesBeforeItDecodes) {
  auto names = source(" Ann\r\nBOB \n", {.normalise = Normalise::trim | Normalise::lower});
  EXPECT_THAT(keys_of(names), ElementsAre("ann", "bob"));
  auto numbers =
      source("+7\n007\n", {.encoding = KeyEncoding::i32, .normalise = Normalise::integer});
  EXPECT_THAT(keys_of(numbers), ElementsAre("\7\0\0\0"s, "\7\0\0\0"s));
  EXPECT_THAT(fault_of("7\nseven\n", {.normalise = Normalise::integer}),
              HasSubstr("keys.txt:2: \"seven\" is no integer"));
}

TEST_F(TextSourceTest, HandsOverAllKeysBeforeABadRecord) {
  auto integers = source("1\n2\n3x\n4\n", {.encoding = KeyEncoding::u64});
  std::size_t count = 0;
  const auto message = message_of<std::invalid_argument>([&] {
    integers.for_each_batch([&](const Batch& batch) {
      count += batch.keys.size();
      return true;
    });
  });
  EXPECT_EQ(count, 2U);
  EXPECT_THAT(message, HasSubstr("keys.txt:3: \"3x\" is not a u64"));
}

TEST_F(TextSourceTest, NumbersABadRecordOfALaterBatch) {
  std::string text;
  for (int i = 1; i < 3'000; ++i) text += "00\n";
  EXPECT_THAT(fault_of(text + "0\n", {.encoding = KeyEncoding::hex}), HasSubstr("keys.txt:3000: "));
  EXPECT_THAT(fault_of("0\n" + text, {.encoding = KeyEncoding::hex}), HasSubstr("keys.txt:1: "));
}

TEST_F(TextSourceTest, StopsWhenTheConsumerHasEnough) {
  auto plain = source(std::string(1'000'000, '\n'));
  int calls = 0;
  std::uint64_t keys = 0;
  const auto totals = plain.for_each_batch([&](const Batch& batch) {
    keys += batch.keys.size();
    return ++calls < 2;
  });
  EXPECT_EQ(calls, 2);
  EXPECT_LT(keys, 1'000'000U);
  EXPECT_EQ(totals.key_count, keys);
}

// Some programs begin a UTF-8 text with a mark, which would be part of the first key.
TEST_F(TextSourceTest, TakesNoMarkOfTheEncodingForAKey) {
  const std::string mark = "\xef\xbb\xbf";
  auto lines = source(mark + "a\n" + mark + "b\n");
  EXPECT_THAT(keys_of(lines), ElementsAre("a", mark + "b"));
  EXPECT_TRUE(lines.had_byte_order_mark());
  auto records = source(mark + "a\0b"s, {.separator = '\0'});
  EXPECT_THAT(keys_of(records), ElementsAre(mark + "a", "b")) << "only of lines";
  auto alone = source(mark);
  EXPECT_THAT(keys_of(alone), ElementsAre(""));
}

// Everything that a consumer sees, and how it ends.
std::string seen_by_a_consumer(TextSource& source, unsigned threads) {
  std::string seen;
  std::vector<std::size_t> lengths(slot_count(threads));
  const auto prepare = [&](const Batch& batch) {
    for (const Key key : batch.keys) lengths[batch.slot] += key.size();
  };
  try {
    source.for_each_prepared({threads, prepare}, [&](const Batch& batch) {
      std::size_t length = 0;
      for (std::size_t i = 0; i < batch.keys.size(); ++i) {
        seen += std::to_string(batch.first_record + i) + " " + std::string(batch.keys[i]) + " of " +
                std::string(batch.lines[i]) + "\n";
        length += batch.keys[i].size();
      }
      seen += std::to_string(batch.byte_count) + "\n";
      EXPECT_EQ(std::exchange(lengths[batch.slot], 0), length);
      return true;
    });
  } catch (const std::invalid_argument& wrong) {
    seen += wrong.what();
  }
  return seen;
}

TEST_F(TextSourceTest, SeveralThreadsHandOverWhatOneDoes) {
  std::string text = "id,code\n";
  for (int i = 0; i < 40'000; ++i) {
    text +=
        std::to_string(i) + (i % 7 == 0 ? ",\"0\n" : ",\"") + std::to_string(i % 13 * i) + "\"\n";
  }
  const std::string wrong = text + "7,\"not a number\"\n8,\"8\"\n" + text;
  const SourceOptions csv{.normalise = Normalise::trim | Normalise::integer,
                          .field = 2,
                          .delimiter = ",",
                          .csv = true,
                          .skip_header = true};
  const SourceOptions small{.record_byte_limit = 100'000};
  auto plain_lines = source(text);
  const std::string of_lines = seen_by_a_consumer(plain_lines, 1);
  for (const unsigned threads : {2U, 3U, 8U}) {
    EXPECT_TRUE(seen_by_a_consumer(plain_lines, threads) == of_lines) << threads;
  }
  const std::vector<std::pair<std::string, SourceOptions>> faulty{
      {wrong, csv}, {text + std::string(2'000'000, 'x') + "\nlast", small}};
  for (const auto& [bytes, options] : faulty) {
    auto from = source(bytes, options);
    const std::string of_one = seen_by_a_consumer(from, 1);
    EXPECT_THAT(of_one, HasSubstr("keys.txt:")) << "where it ends";
    for (const unsigned threads : {2U, 3U, 8U}) {
      EXPECT_TRUE(seen_by_a_consumer(from, threads) == of_one) << threads;
    }
  }
}

TEST_F(TextSourceTest, PassesOnWhatTheConsumerThrows) {
  auto plain = source("a\n");
  EXPECT_THROW(plain.for_each_batch([](const Batch&) -> bool { throw StoreError("full"); }),
               StoreError);
}

TEST_F(TextSourceTest, ReadsAFileAgainButNotAPipe) {
  auto plain = source("a\nb\n");
  EXPECT_EQ(plain.expected_count(), 2U);
  EXPECT_EQ(plain.expected_byte_count(), 4U);
  EXPECT_THAT(keys_of(plain), ElementsAre("a", "b"));
  EXPECT_THAT(keys_of(plain), ElementsAre("a", "b"));

  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  ASSERT_EQ(write(ends[1], "a\n", 2), 2);
  close(ends[1]);
  TextSource pipe(InputFile(ends[0], "pipe"), {});
  EXPECT_EQ(pipe.expected_count(), std::nullopt);
  EXPECT_EQ(pipe.expected_byte_count(), std::nullopt);
  EXPECT_THAT(keys_of(pipe), ElementsAre("a"));
  EXPECT_THROW(keys_of(pipe), StoreError);
}

TEST_F(TextSourceTest, NoticesWindowsLinesAndKeepsThem) {
  auto windows = source("a\r\nb\r\n");
  EXPECT_THAT(keys_of(windows), ElementsAre("a\r", "b\r"));
  EXPECT_EQ(windows.line_with_return(), 1U);
  auto unix_lines = source("a\nb\r\n");
  keys_of(unix_lines);
  EXPECT_EQ(unix_lines.line_with_return(), 2U);
}

TEST_F(TextSourceTest, NoticesACarriageReturnAnywhereInAKey) {
  auto old = source("a\rb\rc");
  keys_of(old);
  EXPECT_EQ(old.line_with_return(), 1U);
  auto late = source("id\tname\n1\tx\r\n2\r\ty\n", {.field = 1, .skip_header = true});
  EXPECT_THAT(keys_of(late), ElementsAre("1", "2\r"));
  EXPECT_EQ(late.line_with_return(), 3U) << "where it is a part of the key";
  auto many = source(std::string(200'000, '\n') + "a\r\n");
  keys_of(many);
  EXPECT_EQ(many.line_with_return(), 200'001U);
}

TEST_F(TextSourceTest, ReadsEveryRecordOfCsvOrSaysWhichLineItCannot) {
  const SourceOptions csv{.field = 1, .delimiter = ",", .csv = true};
  auto inches = source("101,5\" disk\n102,\"7\"\" disk\"\n103,6\" pipe\n", csv);
  EXPECT_THAT(keys_of(inches), ElementsAre("101", "102", "103"));
  auto marked = source("\xef\xbb\xbf\"a\nb\",1\n2,\n", csv);
  EXPECT_THAT(keys_of(marked), ElementsAre("a\nb", "2"));
  auto slash = source("a\\\",1\n\"b\\\",2\nc,3\n", csv);
  EXPECT_THAT(keys_of(slash), ElementsAre("a\\\"", "b\\", "c"));
  // The line is that of the text, whatever the records before it held.
  EXPECT_THAT(fault_of("\"a\nb\",1\nc,\"open\nd,2\n", csv),
              HasSubstr("keys.txt:3: field 2 begins with a quote that nothing closes"));
  EXPECT_THAT(fault_of("\"a\nb\",1\nc\n", {.field = 2, .delimiter = ",", .csv = true}),
              HasSubstr("keys.txt:3: "));
  EXPECT_THAT(fault_of("\"never", csv), HasSubstr("keys.txt:1: field 1"));
}

// Readers of CSV disagree about these records; any reading would lose keys of some writer.
TEST_F(TextSourceTest, RefusesRecordsOfCsvThatReadersDisagreeAbout) {
  const SourceOptions csv{.field = 1, .delimiter = ",", .csv = true};
  // A backslash that was meant to escape the quote before the one that closes.
  EXPECT_THAT(
      fault_of("1,\"5\\\"\",x\n2,y\n3,\"b\"\n", csv),
      HasSubstr("keys.txt:3: field 2 has more than the delimiter behind its closing quote"));
  EXPECT_THAT(fault_of("0,\"\"\n1,\"7\" disk\"\n2,x\n", csv), HasSubstr("keys.txt:2: field 2"));
  EXPECT_THAT(fault_of("1,x\n2,\"y\" \n", csv), HasSubstr("keys.txt:2: field 2"));
  EXPECT_THAT(fault_of("1::\"x\":\n", {.field = 1, .delimiter = "::", .csv = true}),
              HasSubstr("keys.txt:1: field 2"));
  // Line ends of old: only some readers take them for such.
  EXPECT_THAT(fault_of("1,x\r2,y\r3,z\r", csv),
              HasSubstr("keys.txt:1: field 2 holds a carriage return outside quotes"));
  EXPECT_THAT(fault_of("id,\"x\"\n1,x\r2,\"y\"\r\n", csv), HasSubstr("keys.txt:2: field 2"));
  for (const std::string delimiter : {"\"", "a\n", "\r"}) {
    EXPECT_THAT(fault_of("a", {.field = 1, .delimiter = delimiter, .csv = true}),
                HasSubstr("the delimiter"));
  }
  auto fine = source("1,\"a\rb\"\r\n2,\"\"\r\n\"3\"\r\n4,x\r\n5,\"y\"\r", csv);
  EXPECT_THAT(keys_of(fine), ElementsAre("1", "2", "3", "4", "5"));
}

TEST_F(TextSourceTest, NoticesABackslashThatMayHaveBeenMeantToEscapeAQuote) {
  const SourceOptions csv{.field = 1, .delimiter = ",", .csv = true};
  auto lost = source("0,\n1,\"5\\\"\"\n2,\",x\"\n3,y\n", csv);
  keys_of(lost);
  EXPECT_EQ(lost.line_with_escape(), 2U);
  auto fine = source("1,\"5\\\"\"\"\n2,\"a\nb\\\"\n", csv);
  EXPECT_THAT(keys_of(fine), ElementsAre("1", "2"));
  EXPECT_EQ(fine.line_with_escape(), 0U);
}

TEST_F(TextSourceTest, NamesTheLineOfAQuoteThatTakesMoreThanMemory) {
  std::string text = "\"a\nb\",1\n2,\"" + std::string(300'000, 'x');
  for (std::size_t i = 1'000; i < text.size(); i += 1'000) text[i] = '\n';
  EXPECT_THAT(fault_of(text, {.field = 1,
                              .delimiter = ",",
                              .csv = true,
                              .record_byte_limit = BlockReader::kBlockBytes}),
              HasSubstr("keys.txt:3: is longer"));
}

// Bytes that are no text of lines are refused before a key is taken, with a message that says what
// to do.
TEST_F(TextSourceTest, RefusesWhatIsNoTextOfLines) {
  EXPECT_THAT(fault_of("a\nb\0c\n"s, {}), HasSubstr("a NUL at byte 3"));
  EXPECT_THAT(fault_of("a\nb\0c\n"s, {}), HasSubstr("-0"));
  EXPECT_THAT(fault_of("SQLite format 3\0..."s, {}), HasSubstr("sqlite:"));
  EXPECT_THAT(fault_of("PAR1\x15\x04\x15."s, {}), HasSubstr("Parquet"));
  EXPECT_THAT(fault_of("\x89"
                       "BLOOM\r\n\1"s,
                       {}),
              HasSubstr("a filter of bloomery"));
  EXPECT_THAT(fault_of("\xff\xfe\0\0a\0\0\0"s, {}), HasSubstr("UTF-32"));
  EXPECT_THAT(fault_of("\x04\x22\x4d\x18...."s, {}), HasSubstr("lz4"));
  EXPECT_THAT(fault_of("a\0\n\0"s, {}), HasSubstr("UTF-16LE"));
  EXPECT_THAT(fault_of("\0a\0\n"s, {}), HasSubstr("UTF-16BE"));
  EXPECT_THAT(fault_of("\x93NUMPY\1\0v"s, {.separator = '\0'}), HasSubstr("NumPy"));
  EXPECT_THAT(fault_of("x\x9c\x03\xcf", {}), HasSubstr("zlib"));
  EXPECT_THAT(fault_of("PK\3\4...."s, {}), HasSubstr("unzip"));
  EXPECT_THAT(fault_of(std::string(257, 'a') + "ustar.....", {}), HasSubstr("tar -xOf"));
  EXPECT_THAT(fault_of("\x5d\0\0\x80\0\xff\xff\xff\xff\xff\xff\xff\xff."s, {}), HasSubstr("lzma"));
  EXPECT_THAT(fault_of("(lp0\nVa\np1\na.", {}), HasSubstr("pickle"));
  EXPECT_THAT(fault_of("(lp1\nS'a'\np2\na.", {}), HasSubstr("pickle"));  // by cPickle
  EXPECT_THAT(fault_of("(Valice\np0\nVbob\np1\ntp2\n.", {}), HasSubstr("pickle"));
  EXPECT_THAT(fault_of("(I1\nI2\ntp0\n.", {}), HasSubstr("pickle"));
  EXPECT_THAT(fault_of("c__builtin__\nset\np0\n.", {}), HasSubstr("pickle"));
  EXPECT_THAT(fault_of("\x80\x02]q", {}), HasSubstr("pickle"));
  auto words = source("PAR12\nBZhou\nORCA\nLZIPPED\n", {});
  EXPECT_THAT(keys_of(words), ElementsAre("PAR12", "BZhou", "ORCA", "LZIPPED"));
}

// Keys by brotli, which begins its files with no mark.
TEST_F(TextSourceTest, RefusesWhatLooksLikeNoTextAtAll) {
  const std::string packed =
      "\x1b\x05\x01\x18\x64\x70\x5e\x7f\xea\x62\x8b\x03\xf0\x53\xc8\x0e\x65\xa3\x03\xe5"
      "\xa4\x1e\x80\x82\x8d\x31\x14\x3a\x37\x68\xf7\x53\xe4\x1b\xb3\x4a\x75\x53\x03\x6c"
      "\x6c\x53\xe5\x7c\x57\x80\x18\x52\x25\x91\x77\xd8\x10\x2d\xe2\xb1\x97\xfd\xe0\xff"
      "\xb1\x2c\x3e\x4f\xb1\xaf\x01\x03\x16\xd7\x15\xfd\x78\x03\xe2\xa1\xba\x76\xe1\x44"
      "\x7d\xe5\xc2\xdf\x63\x4a\xe8\x7b\x7f\x84\x8a\x3d\x75\x38\x0f\xda\x52\x69\xf3\x39"
      "\xda\x79\x3a\x20\x28\x89\x4e\xfe\x68\x9b\xec\xa5\x38\x59\x5d\xa4\xff\xd9\x28\x3b"
      "\xdc\x42\xe0\x0b\x1b\x79\xef\xe6\x9e\xb4\x61\xf8\x5d\xdd\xae\x01\x0c";
  EXPECT_THAT(fault_of(packed, {}), HasSubstr("brotli -dc"));
  auto by_nuls = source(packed, {.separator = '\0'});
  EXPECT_THAT(keys_of(by_nuls), ElementsAre(packed));
  const std::string controls = std::string(64, 'a') + "\x01\x02\x03\x04\x05 all of it is UTF-8 ";
  for (const std::string& text :
       {"caf\xe9\nM\xfcnchen\nna\xefve Latin-1 keys\n"s, "a\tb\x1b[1m\n\x01one of a line\n"s,
        controls + "gr\xc3\xbc\xc3\x9f\n", controls + "\xef\xbf\xbd, too, is a character\n"}) {
    auto read = source(text, {});
    EXPECT_FALSE(keys_of(read).empty());
  }
}

TEST_F(TextSourceTest, RefusesANulThatComesLaterThroughAPipe) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  ASSERT_EQ(write(ends[1], "a\n", 2), 2);
  TextSource slow(InputFile(ends[0], "pipe"), {});
  std::vector<std::string> keys;
  const std::string fault = message_of<std::invalid_argument>([&] {
    slow.for_each_batch([&](const Batch& batch) {
      keys.insert(keys.end(), batch.keys.begin(), batch.keys.end());
      EXPECT_EQ(write(ends[1], "b\0c\n", 4), 4);
      close(std::exchange(ends[1], -1));
      return true;
    });
  });
  EXPECT_THAT(keys, ElementsAre("a"));
  EXPECT_THAT(fault, HasSubstr("a NUL at byte 3"));
}

TEST_F(TextSourceTest, SplitsAtNul) {
  auto nul = source("a\nb\0c"s, {.separator = '\0'});
  EXPECT_EQ(nul.expected_count(), 2U);
  EXPECT_THAT(keys_of(nul), ElementsAre("a\nb", "c"));
}

TEST_F(TextSourceTest, SkipsAHeadingAndCountsItsLine) {
  const SourceOptions csv{.field = 2, .delimiter = ",", .csv = true, .skip_header = true};
  auto table = source("id,name\n1,alice\n2,bob\n", csv);
  EXPECT_EQ(table.expected_count(), 2U);
  EXPECT_THAT(keys_of(table), ElementsAre("alice", "bob"));
  EXPECT_THAT(keys_of(table), ElementsAre("alice", "bob")) << "the second time";
  EXPECT_THAT(fault_of("id,name\n1,alice\n2\n", csv), HasSubstr("keys.txt:3: "));
  auto only = source("id,name\n", csv);
  EXPECT_EQ(only.expected_count(), 0U);
  EXPECT_THAT(keys_of(only), ElementsAre());
  auto nothing = source("", csv);
  EXPECT_EQ(nothing.expected_count(), 0U);
  EXPECT_THAT(keys_of(nothing), ElementsAre());
}

}  // namespace
}  // namespace bloomery
