// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/mariadb/binlog_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/place/fence_source.h"
#include "bloomery/source/mariadb/unseen_rows.h"

namespace bloomery::mariadb {
namespace {

std::string little_endian(std::uint64_t value, int byte_count) {
  std::string bytes;
  for (int i = 0; i < byte_count; ++i) bytes += static_cast<char>(value >> (8 * i));
  return bytes;
}

// Makes a packet as the server sends it.
std::string packet(EventType type, const std::string& body) {
  const std::size_t length = 19 + body.size();
  return '\0' + little_endian(7, 4) + static_cast<char>(type) + little_endian(1, 4) +
         little_endian(length, 4) + little_endian(0, 4) + little_endian(0, 2) + body;
}

std::string gtid(std::uint64_t number, int flags = 0, std::uint32_t domain = 0) {
  return packet(EventType::gtid, little_endian(number, 8) + little_endian(domain, 4) +
                                     static_cast<char>(flags) + std::string(6, '\0'));
}

// Entries of one server; all as in 0-1-10.
std::string gtid_list(const std::vector<std::pair<std::uint32_t, std::uint64_t>>& last) {
  std::string body = little_endian(last.size(), 4);
  for (const auto& [domain, number] : last) {
    body += little_endian(domain, 4) + little_endian(1, 4) + little_endian(number, 8);
  }
  return packet(EventType::gtid_list, body);
}

std::string rotation(const std::string& file) {
  return packet(EventType::rotate, little_endian(4, 8) + file);
}

std::string statement(const std::string& text) {
  return packet(EventType::query,
                little_endian(0, 8) + '\4' + little_endian(0, 4) + "shop" + '\0' + text);
}

// shop.users (id INT, name VARCHAR(50)); or another table, of an INT and what `type` is.
std::string table_map(const std::string& name = "users", char type = '\x0f') {
  return packet(EventType::table_map, little_endian(70, 6) + little_endian(0, 2) + '\4' + "shop" +
                                          '\0' + '\5' + name + '\0' + '\2' + '\3' + type + '\2' +
                                          little_endian(50, 2) + '\3');
}

std::string row(std::uint64_t id, const std::string& name) {
  return '\0' + little_endian(id, 4) + static_cast<char>(name.size()) + name;
}

std::string rows_body(const std::string& rows) {
  return little_endian(70, 6) + little_endian(1, 2) + '\2' + '\3' + rows;
}

Table users() {
  Table table{
      .schema = "shop", .name = "users", .kind = "BASE TABLE", .engine = "InnoDB", .columns = {}};
  table.columns.push_back({.name = "id", .data_type = "int", .type = "int(11)"});
  table.columns.push_back({.name = "name",
                           .data_type = "varchar",
                           .type = "varchar(50)",
                           .charset = "utf8mb4",
                           .length = 50});
  table.key = 1;
  return table;
}

BinlogReader reader() {
  return {users(), {}, GtidState("0-1-10"), LogFile("binlog.000003"), LogPosition::of(10, 3)};
}

std::vector<std::string> one_transaction() {
  return {gtid(11), table_map(),
          packet(EventType::write_rows, rows_body(row(1, "ann") + row(2, "bob"))),
          packet(EventType::commit, little_endian(5, 8))};
}

TEST(BinlogReader, ThePositionMovesAtTheEndOfATransactionAlone) {
  BinlogReader log = reader();
  LoggedChanges changes;
  const auto events = one_transaction();
  for (const auto& event : events) {
    EXPECT_FALSE(changes.position);
    log.read(event, changes);
  }
  EXPECT_EQ(changes.position, LogPosition::of(11, 3));
  EXPECT_THAT(changes.keys.keys(), ::testing::ElementsAre("ann", "bob"));
}

std::string in_group(std::uint64_t number, std::uint64_t group) {
  return packet(EventType::gtid, little_endian(number, 8) + little_endian(0, 4) +
                                     static_cast<char>(GtidEvent::kGroupCommit) +
                                     little_endian(group, 8));
}

// Whatever stands before them, such as what a strict reader stops at, and in whatever order its
// numbers are.
TEST(UnseenRows, AreThoseOfTheLastFourGroups) {
  UnseenRows rows(users(), {}, LogFile("binlog.000003"), LogFile("binlog.000004"), 1);
  LoggedChanges changes;
  const auto log = [&](const std::string& begin, const std::string& name) {
    for (const auto& event :
         {begin, table_map(), packet(EventType::write_rows, rows_body(row(1, name))),
          packet(EventType::commit, little_endian(5, 8))}) {
      rows.read(event, changes);
      EXPECT_FALSE(changes.position);
    }
  };
  log(gtid(7), "seen");
  constexpr auto kLoadData = static_cast<EventType>(17);  // a statement's
  rows.read(gtid(8), changes);
  rows.read(packet(kLoadData, "a file"), changes);
  rows.read(gtid_list({{3, 9}}), changes);
  log(in_group(2, 50), "too");
  log(in_group(3, 51), "first");
  log(in_group(4, 51), "with it");
  log(gtid(5), "second");
  log(gtid(5), "third");
  log(in_group(9, 52), "fourth");
  EXPECT_EQ(changes.key_count(), 0U);
  rows.read(rotation("binlog.000004"), changes);
  EXPECT_FALSE(changes.position) << "the place is behind the beginning";
  rows.read(packet(EventType::heartbeat, {}), changes);
  EXPECT_TRUE(changes.position);
  EXPECT_THAT(changes.keys.keys(),
              ::testing::ElementsAre("first", "with it", "second", "third", "fourth"));
}

TEST(BinlogReader, ThePositionMovesWhereAFileBegins) {
  BinlogReader log = reader();
  LoggedChanges changes;
  log.read(rotation("binlog.000004"), changes);
  EXPECT_FALSE(changes.position);
  log.read(packet(EventType::heartbeat, {}), changes);
  EXPECT_FALSE(changes.position) << "the file may begin at another number";
  log.read(gtid_list({{0, 10}}), changes);
  EXPECT_EQ(changes.position, LogPosition::of(10, 4));
}

// Domains that were deleted, numbers that went back, another log under the name.
TEST(BinlogReader, AFileThatBeginsElsewhereThanTheLastEndedIsRefused) {
  using Last = std::vector<std::pair<std::uint32_t, std::uint64_t>>;
  for (const Last& last : {Last{}, Last{{0, 9}}, Last{{0, 11}}, Last{{0, 10}, {7, 1}}}) {
    BinlogReader log = reader();
    LoggedChanges changes;
    EXPECT_THROW(log.read(gtid_list(last), changes), SourceChanged);
  }
  BinlogReader log = reader();
  LoggedChanges changes;
  EXPECT_THROW(log.read(rotation("other.000004"), changes), SourceChanged);
  EXPECT_THROW(log.read(gtid_list({{0, 10}}).substr(0, 30), changes), SourceChanged);
}

TEST(BinlogReader, ADomainThatIsNewIsAnotherSource) {
  BinlogReader log = reader();
  LoggedChanges changes;
  EXPECT_THROW(log.read(gtid(1, 0, 7), changes), SourceChanged);
}

TEST(BinlogReader, ALogThatWasNeverWhereTheFilterIsIsAnotherOne) {
  Table table{.schema = "shop", .name = "users", .kind = {}, .engine = {}, .columns = {}};
  table.columns.push_back({.name = "id", .data_type = "int", .type = "int(11)"});
  BinlogReader log(table, {}, GtidState("0-1-10"), LogFile("binlog.000003"),
                   LogPosition::of(12, 3));
  LoggedChanges changes;
  for (const auto& event : {gtid(11), packet(EventType::commit, little_endian(5, 8))}) {
    log.read(event, changes);
  }
  EXPECT_FALSE(changes.position);
  EXPECT_THROW(log.read(gtid(13), changes), SourceChanged);
}

TEST(BinlogReader, WhatIsCutShortIsRefused) {
  const auto events = one_transaction();
  for (std::size_t cut = 0; cut < events.size(); ++cut) {
    for (std::size_t length = 0; length < events[cut].size(); ++length) {
      BinlogReader log = reader();
      LoggedChanges changes;
      for (std::size_t i = 0; i < cut; ++i) log.read(events[i], changes);
      EXPECT_THROW(log.read(events[cut].substr(0, length), changes), SourceChanged);
    }
  }
}

TEST(BinlogReader, WhatIsOutOfPlaceOrUnknownIsRefused) {
  const auto refuses = [](const std::vector<std::string>& events) {
    BinlogReader log = reader();
    LoggedChanges changes;
    try {
      for (const auto& event : events) log.read(event, changes);
    } catch (const SourceChanged&) {
      return true;
    }
    return false;
  };
  const auto events = one_transaction();
  EXPECT_FALSE(refuses(events));
  EXPECT_TRUE(refuses({events[2]}));            // rows outside of all transactions
  EXPECT_TRUE(refuses({gtid(11), events[2]}));  // of a table that has no name
  EXPECT_TRUE(refuses({gtid(11), gtid(12)}));   // no end
  EXPECT_TRUE(refuses({gtid(10)}));             // a number that was there
  EXPECT_TRUE(refuses({events[3]}));            // an end without a transaction
  EXPECT_TRUE(refuses({gtid(11), statement("INSERT INTO others VALUES (1)")}));
  EXPECT_TRUE(refuses({gtid(11), table_map("users", '\xc8')}));  // a column of no known type
  EXPECT_FALSE(refuses({gtid(11), table_map("other", '\xc8')}));
  for (const int type : {0, 1, 6, 17, 20, 26, 28, 30, 34, 36, 40, 169, 255}) {
    EXPECT_TRUE(refuses({packet(static_cast<EventType>(type), "")})) << type;
  }
}

TEST(BinlogReader, AChecksumThatIsWrongIsRefused) {
  const auto with_sum = [](std::string event) {
    const std::size_t length = event.size() - 1 + 4;
    event.replace(10, 4, little_endian(length, 4));
    const auto sum = crc32(0, reinterpret_cast<const Bytef*>(event.data() + 1),
                           static_cast<uInt>(event.size() - 1));
    return event + little_endian(sum, 4);
  };
  BinlogReader log = reader();
  LoggedChanges changes;
  log.read(with_sum(packet(EventType::format_description, std::string(60, 'x') + '\1')), changes);
  std::string event = with_sum(gtid(11));
  log.read(event, changes);
  event = with_sum(table_map());
  event[30] ^= 1;
  EXPECT_THROW(log.read(event, changes), SourceChanged);
}

TEST(BinlogReader, AnyBytesAreReadOrRefused) {
  std::mt19937 random(7);
  const auto events = one_transaction();
  int refused = 0;
  for (int round = 0; round < 1000; ++round) {
    BinlogReader log = reader();
    LoggedChanges changes;
    try {
      for (std::string event : events) {
        for (int flips = static_cast<int>(random() % 3); flips > 0; --flips) {
          event[random() % event.size()] = static_cast<char>(random());
        }
        if (random() % 4 == 0) event[5] = static_cast<char>(166 + random() % 3);
        log.read(event, changes);
      }
    } catch (const SourceChanged&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 300);
}

}  // namespace
}  // namespace bloomery::mariadb
