// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/postgres/pgoutput.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "bloomery/errors.h"

namespace bloomery {
namespace {

using postgres::PgoutputMessage;
using postgres::PgoutputReader;
using postgres::PgoutputValue;
using Kind = PgoutputMessage::Kind;
using namespace std::string_literals;

std::string u16(unsigned value) {
  return {static_cast<char>(value >> 8), static_cast<char>(value)};
}
std::string u32(unsigned value) {
  return u16(value >> 16) + u16(value & 0xffff);
}
std::string u64(std::uint64_t value) {
  return u32(static_cast<unsigned>(value >> 32)) + u32(static_cast<unsigned>(value));
}
std::string text(const std::string& bytes) {
  return "t" + u32(static_cast<unsigned>(bytes.size())) + bytes;
}

const std::string kRelation = "R"s + u32(77) + "public\0users\0d"s + u16(2) + "\1id\0"s + u32(23) +
                              u32(0xffffffff) + "\0name\0"s + u32(25) + u32(0xffffffff);

TEST(Pgoutput, ReadsEachMessage) {
  PgoutputReader reader;
  PgoutputMessage message;
  reader.read("B" + u64(1) + u64(2) + u32(3), message);
  EXPECT_EQ(message.kind, Kind::begin);
  reader.read(kRelation, message);
  EXPECT_EQ(message.kind, Kind::relation);
  EXPECT_EQ(message.relation, 77u);
  ASSERT_EQ(message.columns.size(), 2u);
  EXPECT_EQ(message.columns[0].name, "id");
  EXPECT_TRUE(message.columns[0].is_identity);
  EXPECT_EQ(message.columns[1].type, 25u);
  EXPECT_FALSE(message.columns[1].is_identity);
  const std::string inserted = "I" + u32(77) + "N" + u16(2) + text("42") + "n";
  reader.read(inserted, message);
  EXPECT_EQ(message.kind, Kind::insert);
  ASSERT_EQ(message.row.size(), 2u);
  EXPECT_EQ(message.row[0].text, "42");
  EXPECT_EQ(message.row[1].kind, PgoutputValue::Kind::null);
  const std::string updated =
      "U" + u32(77) + "K" + u16(2) + text("42") + "nN" + u16(2) + text("43") + "u";
  reader.read(updated, message);
  EXPECT_EQ(message.kind, Kind::update);
  ASSERT_TRUE(message.has_old_row);
  EXPECT_EQ(message.old_row[0].text, "42");
  EXPECT_EQ(message.row[0].text, "43");
  EXPECT_EQ(message.row[1].kind, PgoutputValue::Kind::unchanged);
  reader.read("U" + u32(77) + "N" + u16(1) + text(""), message);
  EXPECT_FALSE(message.has_old_row);
  const std::string erased = "D" + u32(77) + "O" + u16(1) + text("43");
  reader.read(erased, message);
  EXPECT_EQ(message.kind, Kind::erase);
  EXPECT_EQ(message.old_row[0].text, "43");
  reader.read("T" + u32(2) + "\0"s + u32(77) + u32(78), message);
  EXPECT_THAT(message.truncated, ::testing::ElementsAre(77u, 78u));
  reader.read("C\0"s + u64(10) + u64(0x1122334455667788) + u64(0), message);
  EXPECT_EQ(message.kind, Kind::commit);
  EXPECT_EQ(message.end_lsn, 0x1122334455667788u);
  for (const char* const other : {"Y...", "O...", "M..."}) {
    reader.read(other, message);
    EXPECT_EQ(message.kind, Kind::other);
  }
}

// Messages within a stream say first whose they are.
TEST(Pgoutput, ReadsStreamsOfOpenTransactions) {
  PgoutputReader reader;
  PgoutputMessage message;
  reader.read("S" + u32(9) + "\1", message);
  EXPECT_EQ(message.kind, Kind::stream_start);
  EXPECT_EQ(message.transaction, 9u);
  reader.read("R" + u32(9) + kRelation.substr(1), message);
  EXPECT_EQ(message.relation, 77u);
  const std::string within = "I" + u32(9) + u32(77) + "N" + u16(1) + text("a");
  reader.read(within, message);
  EXPECT_EQ(message.row[0].text, "a");
  reader.read("E", message);
  EXPECT_EQ(message.kind, Kind::stream_stop);
  reader.read("A" + u32(9) + u32(10), message);
  EXPECT_EQ(message.kind, Kind::abort);
  EXPECT_EQ(message.transaction, 0u) << "of a part of it";
  reader.read("A" + u32(9) + u32(9), message);
  EXPECT_EQ(message.transaction, 9u);
  reader.read("c" + u32(9) + "\0"s + u64(1) + u64(2) + u64(3), message);
  EXPECT_EQ(message.kind, Kind::commit);
  EXPECT_EQ(message.end_lsn, 2u);
  EXPECT_EQ(message.transaction, 9u);
  const std::string behind = "I" + u32(77) + "N" + u16(1) + text("b");
  reader.read(behind, message);
  EXPECT_EQ(message.row[0].text, "b");
  EXPECT_THROW(reader.read("E", message), FormatError);
}

TEST(Pgoutput, RefusesEveryCutAndEveryTail) {
  for (const std::string& whole :
       {kRelation, "I" + u32(77) + "N" + u16(2) + text("42") + "n",
        "U" + u32(77) + "O" + u16(1) + text("1") + "N" + u16(1) + text("2"),
        "T" + u32(1) + "\0"s + u32(7), "C\0"s + u64(1) + u64(2) + u64(3)}) {
    PgoutputMessage message;
    for (std::size_t length = 0; length < whole.size(); ++length) {
      PgoutputReader reader;
      EXPECT_THROW(reader.read(whole.substr(0, length), message), FormatError) << length;
    }
    PgoutputReader reader;
    EXPECT_THROW(reader.read(whole + "x", message), FormatError);
  }
}

TEST(Pgoutput, AllocatesNothingForWhatIsNotThere) {
  PgoutputReader reader;
  PgoutputMessage message;
  const auto refuses = [&](const std::string& bytes) {
    EXPECT_THROW(reader.read(bytes, message), FormatError);
  };
  refuses("I" + u32(77) + "N" + u16(0xffff) + "n");
  refuses("I" + u32(77) + "N" + u16(1) + "t" + u32(0xffffffff));
  refuses("I" + u32(77) + "N" + u16(1) + "?");
  refuses("I" + u32(77) + "K" + u16(0));
  refuses("T" + u32(0xffffffff) + "\0"s);
  refuses("R"s + u32(77) + "a\0b\0d"s + u16(0xffff));
  refuses("P");
  refuses("");
}

}  // namespace
}  // namespace bloomery
