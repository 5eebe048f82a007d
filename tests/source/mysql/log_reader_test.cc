// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/mysql/log_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/place/fence_source.h"
#include "tests/source/source_helpers.h"

namespace bloomery::mysql {
namespace {

using mariadb::EventType;
using ::testing::HasSubstr;

std::string little_endian(std::uint64_t value, int byte_count) {
  std::string bytes;
  for (int i = 0; i < byte_count; ++i) bytes += static_cast<char>(value >> (8 * i));
  return bytes;
}

mariadb::Table users() {
  mariadb::Table table{
      .schema = "shop", .name = "users", .kind = "BASE TABLE", .engine = "InnoDB", .columns = {}};
  table.columns.push_back({.name = "id", .data_type = "int", .type = "int"});
  table.columns.push_back({.name = "name",
                           .data_type = "varchar",
                           .type = "varchar(50)",
                           .charset = "utf8mb4",
                           .length = 50});
  table.key = 1;
  return table;
}

// A log as the server sends it, of events one behind the other.
class Log {
 public:
  explicit Log(std::uint64_t offset = 4) : offset_(offset) {}

  Log& add(EventType type, const std::string& body, int flags = 0) {
    const std::size_t length = 19 + body.size();
    offset_ += length;
    packets_.push_back('\0' + little_endian(7, 4) + static_cast<char>(type) + little_endian(1, 4) +
                       little_endian(length, 4) + little_endian(offset_, 4) +
                       little_endian(flags, 2) + body);
    return *this;
  }
  // Adds an event that stands nowhere in the file.
  Log& add_made_up(EventType type, const std::string& body) {
    const std::uint64_t offset = offset_;
    add(type, body, 0x20);
    offset_ = offset;
    return *this;
  }
  Log& gtid() { return add(EventType::mysql_gtid, std::string(42, '\1')); }
  Log& statement(const std::string& text) {
    return add(EventType::query,
               little_endian(0, 8) + '\4' + little_endian(0, 4) + "shop" + '\0' + text);
  }
  Log& map(const std::string& name = "users") {
    return add(EventType::table_map, little_endian(70, 6) + little_endian(0, 2) + '\4' + "shop" +
                                         '\0' + '\5' + name + '\0' + '\2' + '\3' + '\x0f' + '\2' +
                                         little_endian(200, 2) + '\3');
  }
  Log& insert(const std::string& name) {
    return add(EventType::write_rows_v2,
               little_endian(70, 6) + little_endian(1, 2) + little_endian(2, 2) + '\2' + '\3' +
                   '\0' + little_endian(9, 4) + static_cast<char>(name.size()) + name);
  }
  Log& commit() { return add(EventType::commit, std::string(8, '\0')); }
  Log& transaction(const std::string& name) {
    return gtid().statement("BEGIN").map().insert(name).commit();
  }
  Log& rotate(const std::string& file) {
    add(EventType::rotate, little_endian(4, 8) + file);
    offset_ = 4;
    return add_made_up(EventType::rotate, little_endian(4, 8) + file);
  }
  // Leaves a piece of the file out.
  Log& skip(std::uint64_t byte_count) {
    offset_ += byte_count;
    return *this;
  }

  std::uint64_t offset() const { return offset_; }
  std::vector<std::string>& packets() { return packets_; }

 private:
  std::uint64_t offset_;
  std::vector<std::string> packets_;
};

LogReader::Stretch begin(std::uint64_t offset = 4) {
  return {.from = {mariadb::LogFile("binlog.000007"), offset}};
}

struct Read {
  std::vector<std::string> keys;
  std::optional<std::uint64_t> position;
};

Read read(Log& log, LogReader::Stretch stretch) {
  LogReader reader(users(), {}, std::move(stretch), false);
  mariadb::LoggedChanges changes;
  for (const std::string& each : log.packets()) reader.read(each, changes);
  Read all{.keys = {}, .position = changes.position};
  for (const Key key : changes.keys.keys()) all.keys.emplace_back(key);
  return all;
}

std::string why_not(Log log, LogReader::Stretch stretch = begin()) {
  return message_of<SourceChanged>([&] { read(log, std::move(stretch)); });
}

std::uint64_t at(std::uint64_t file, std::uint64_t offset) {
  return mariadb::log_place(file, offset);
}

TEST(MysqlLogReader, TellsWhereTransactionsEnd) {
  Log log;
  log.transaction("ann");
  EXPECT_EQ(read(log, begin()).position, at(7, log.offset()));
  const std::uint64_t end = log.offset();
  log.gtid();
  EXPECT_EQ(read(log, begin()).position, at(7, end));
  log.statement("BEGIN").map().insert("bob");
  EXPECT_EQ(read(log, begin()).position, at(7, end));
  log.commit().rotate("binlog.000008").transaction("eve");
  const Read all = read(log, begin());
  EXPECT_EQ(all.position, at(8, log.offset()));
  EXPECT_EQ(all.keys, (std::vector<std::string>{"ann", "bob", "eve"}));
}

TEST(MysqlLogReader, CountsOffsetsBeyond32Bits) {
  const std::uint64_t begun = 0xffffff00U;
  Log log(begun);
  log.transaction("ann").transaction("bob");
  ASSERT_GT(log.offset(), 0x100000000U);
  EXPECT_EQ(read(log, begin(begun)).position, at(7, log.offset()));
}

TEST(MysqlLogReader, PassesOverWhatIsKnown) {
  Log log;
  log.transaction("ann");
  const std::uint64_t known = at(7, log.offset());
  log.transaction("bob");
  LogReader::Stretch stretch = begin();
  stretch.known = known;
  EXPECT_EQ(read(log, std::move(stretch)).keys, (std::vector<std::string>{"bob"}));
}

// Definitions that were logged while it began are old; statements without their rows are not.
TEST(MysqlLogReader, PassesOverOldDefinitionsAlone) {
  Log log;
  log.gtid().statement("ALTER TABLE users ADD COLUMN x INT").transaction("ann");
  LogReader::Stretch old = begin();
  old.old = at(7, log.offset());
  EXPECT_EQ(read(log, old).keys, (std::vector<std::string>{"ann"}));
  EXPECT_THAT(why_not(log), HasSubstr("ALTER"));
  Log written;
  written.gtid().statement("BEGIN").statement("INSERT INTO users VALUES (1, 'x')").commit();
  old.old = at(7, written.offset());
  EXPECT_THAT(why_not(written, old), HasSubstr("INSERT"));
  Log filled;
  filled.gtid().statement("CREATE TABLE users AS SELECT f()");
  old.old = at(7, filled.offset());
  EXPECT_THAT(why_not(filled, old), HasSubstr("CREATE"));
}

TEST(MysqlLogReader, WhatIsNotInOrderStopsIt) {
  const std::string part = "a part of a transaction outside of all";
  EXPECT_THAT(why_not(Log().transaction("ann").skip(1).transaction("bob")), HasSubstr("lengths"));
  EXPECT_THAT(why_not(Log().map()), HasSubstr(part));
  EXPECT_THAT(why_not(Log().gtid().map()), HasSubstr(part));
  EXPECT_THAT(why_not(Log().insert("ann")), HasSubstr(part));
  EXPECT_THAT(why_not(Log().commit()), HasSubstr(part));
  EXPECT_THAT(why_not(Log().gtid().commit()), HasSubstr(part));
  EXPECT_THAT(why_not(Log().gtid().gtid()), HasSubstr("without an end"));
  EXPECT_THAT(why_not(Log().gtid().statement("BEGIN").gtid()), HasSubstr("without an end"));
  EXPECT_THAT(why_not(Log().statement("BEGIN")), HasSubstr("outside of all"));
  EXPECT_THAT(why_not(Log().gtid().statement("BEGIN").insert("ann")), HasSubstr("does not name"));
  EXPECT_THAT(why_not(Log().rotate("binlog.000009")), HasSubstr("goes on in binlog.000009"));
  EXPECT_THAT(why_not(Log().rotate("other.000008")), HasSubstr("goes on in other.000008"));
  EXPECT_THAT(why_not(Log().gtid().rotate("binlog.000008")), HasSubstr("goes on"));
  EXPECT_THAT(why_not(Log().gtid().statement("XA START X'78',X'',1")), HasSubstr("XA"));
  EXPECT_THAT(why_not(Log().gtid().statement("XA COMMIT X'78',X'',1")), HasSubstr("XA"));
  EXPECT_THAT(why_not(Log().gtid().statement("/* a */ xa commit 'x'")), HasSubstr("XA"));
  EXPECT_THAT(why_not(Log().add(EventType::incident, "x")), HasSubstr("incident"));
  EXPECT_THAT(why_not(Log().add(EventType::view_change, "x")), HasSubstr("Group Replication"));
  EXPECT_THAT(why_not(Log().add(EventType::gtid, std::string(19, '\0'))), HasSubstr("type 162"));
  EXPECT_THAT(why_not(Log().add(static_cast<EventType>(99), "x")), HasSubstr("type 99"));
  EXPECT_THAT(why_not(Log().gtid().statement("BEGIN").map().add(EventType::partial_update_rows,
                                                                little_endian(70, 6))),
              HasSubstr("PARTIAL_JSON"));
  EXPECT_THAT(why_not(Log().add(EventType::transaction_payload, std::string(1, '\0'))),
              HasSubstr("without a number"));
  EXPECT_THAT(why_not(Log().gtid().add(EventType::transaction_payload, std::string(1, '\0'))),
              HasSubstr("no end"));
}

TEST(MysqlLogReader, AnyByteMayBeAnother) {
  std::minstd_rand random(41);
  for (int round = 0; round < 20'000; ++round) {
    Log log;
    log.transaction("ann").transaction("bob").rotate("binlog.000008").transaction("eve");
    std::string& packet = log.packets()[random() % log.packets().size()];
    packet[random() % packet.size()] = static_cast<char>(random());
    try {
      read(log, begin());
    } catch (const SourceChanged&) {
      // An exception is as good.
    } catch (const StoreError&) {
      // A name that is none.
    }
  }
}

}  // namespace
}  // namespace bloomery::mysql
