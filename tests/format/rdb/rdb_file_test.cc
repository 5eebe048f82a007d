// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/rdb/rdb_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "bloomery/errors.h"
#include "tests/format/foreign_vectors.h"
#include "tests/format/redisbloom/redisbloom_bytes.h"
#include "tests/support/keys.h"

namespace bloomery::rdb {
namespace {

using golden::bytes_of;
using testing::append;
using testing::append_length;
using testing::append_string;
using testing::module_value_of;
using testing::plain_string;
using testing::RedisBloomModel;
using testing::with_crc;
using namespace std::string_literals;

std::string file_of(const std::string& entries, const std::string& magic = "REDIS0011") {
  return with_crc(magic + entries + '\xff');
}

std::string key_of(char type, const std::string& key, const std::string& value) {
  return type + plain_string(key) + value;
}

std::string filter_value() {
  RedisBloomModel model({});
  for (const std::string& key : testing::texts(150, "item:")) model.add(key);
  return module_value_of(model, {}, 4, plain_string);
}

std::string strings(std::size_t count) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) append_string(all, "string " + std::to_string(i));
  return all;
}
std::string counted(std::size_t count, std::size_t each = 1) {
  return static_cast<char>(count) + strings(count * each);
}

// Versions 1 to 5 of the stream types: each has more of everything.
std::string stream(int version) {
  const std::string id(16, 'i');
  const std::string time(8, 't');
  std::string group = strings(1) + "\1\2" + (version >= 2 ? "\3"s : "") + "\2";
  group += id + time + "\1" + id + time + "\1";
  group += "\1" + strings(1) + time + (version >= 3 ? time : "") + "\2" + id + id;
  if (version >= 5) group += "\1" + id;
  std::string bytes = counted(3, 2) + "\3" + "\1\2";
  if (version >= 2) bytes += "\1\2\3\4\5";
  bytes += "\2" + group + group;
  if (version >= 4)
    bytes +=
        "\1\2" + "\1"s + strings(1) + "\2" + strings(1) + "\1\2" + strings(1) + "\1\2" + "\3\4";
  return bytes;
}

std::string double_bytes() {
  return std::string(8, 'd');
}

// A value of every type there is, by its number.
std::vector<std::pair<int, std::string>> values() {
  const std::string time(8, 't');
  return {
      {0, strings(1)},
      {0, "\xc0\x85"},
      {0, "\xc1\x85\x85"},
      {0, "\xc2\x85\x85\x85\x85"},
      {0, "\xc3\5\x40\x4b" + "\0a\xe0\x40\0"s},
      {1, counted(3)},
      {2, counted(0)},
      {3, "\4" + strings(1) + "\3" + "1.5" + strings(1) + "\xfd" + strings(1) + "\xfe" +
              strings(1) + "\xff"},
      {4, counted(2, 2)},
      {5, "\2" + strings(1) + double_bytes() + strings(1) + double_bytes()},
      {7, filter_value()},
      {9, strings(1)},
      {10, strings(1)},
      {11, strings(1)},
      {12, strings(1)},
      {13, strings(1)},
      {14, counted(2)},
      {15, stream(1)},
      {16, strings(1)},
      {17, strings(1)},
      {18, "\2\1" + strings(1) + "\2" + strings(1)},
      {19, stream(2)},
      {20, strings(1)},
      {21, stream(3)},
      {22, "\2\0"s + strings(2) + "\x81" + time + strings(2)},
      {23, strings(1)},
      {24, time + "\2\0"s + strings(2) + "\7" + strings(2)},
      {25, time + strings(1)},
      {26, stream(4)},
      {27, stream(5)},
  };
}

// Each entry that is no key.
std::vector<std::string> notes() {
  const std::string module = "\x81" + std::string(8, 'm') + "\1\5\2\6\3" + "ffff" + "\4" +
                             double_bytes() + "\5" + strings(1) + "\0"s;
  return {
      "\xf3\2" + "cccc\0cccc\2\1\0"s,
      "\xf4\1\2\3",
      "\xf5" + strings(1),
      "\xf6" + strings(2) + "\1" + strings(2),
      "\xf6" + strings(2) + "\0"s + strings(1),
      "\xf7" + module,
      "\xf8\x40\x80",
      "\xf9\x80",
      "\xfa" + strings(2),
      "\xfb\5\6",
      "\xfe\3",
  };
}

TEST(RdbFile, OfEveryValueAndNoteIsWalked) {
  std::string entries;
  std::size_t keys = 0;
  for (const std::string& note : notes()) entries += note;
  for (const auto& [type, value] : values()) {
    entries += key_of(static_cast<char>(type), "key " + std::to_string(keys++), value);
  }
  const RdbFile file = read_rdb(bytes_of(file_of(entries, "REDIS0013")));
  EXPECT_EQ(file.version, 13U);
  EXPECT_FALSE(file.is_valkey);
  EXPECT_TRUE(file.has_checksum);
  EXPECT_EQ(file.key_count, keys);
  ASSERT_EQ(file.modules.size(), 1U);
  EXPECT_EQ(file.modules[0].key, "key 10");
  EXPECT_EQ(file.modules[0].database, 3U);
}

// Each alone, cut off anywhere: refused, and nothing outside is read.
TEST(RdbFile, ThatIsCutOffIsRefused) {
  std::vector<std::string> all = notes();
  for (const auto& [type, value] : values()) {
    all.push_back(key_of(static_cast<char>(type), "key", value));
  }
  for (const std::string& entry : all) {
    ASSERT_NO_THROW(read_rdb(bytes_of(file_of(entry)))) << int(entry[0]);
    for (std::size_t size = 1; size < entry.size(); ++size) {
      // Exactly so long, so that a sanitizer sees what is read beyond.
      const std::string cut = "REDIS0011" + entry.substr(0, size);
      const std::vector<char> bytes(cut.begin(), cut.end());
      EXPECT_THROW(read_rdb(std::as_bytes(std::span(bytes))), FormatError)
          << int(entry[0]) << " at " << size;
    }
  }
}

TEST(RdbFile, ListsModuleKeysAndGivesTheirFilters) {
  RedisBloomModel model({});
  for (const std::string& key : testing::texts(150, "item:")) model.add(key);
  std::string cuckoo;
  append_length(cuckoo, testing::type_id("MBbloomCF", 4));
  cuckoo += "\2\1\5" + strings(1) + "\0"s;
  std::string expiry = "\xfc";
  append(expiry, std::uint64_t{1'800'000'000'123});
  std::string old_expiry = "\xfd";
  append(old_expiry, std::uint32_t{1'700'000'000});
  const std::string bytes =
      file_of("\xfe\0"s + expiry + key_of('\7', "seen", filter_value()) +
              key_of('\0', "text", strings(1)) + "\xfe\x09" + old_expiry +
              key_of('\7', "a\0b"s, cuckoo) + key_of('\7', "again", filter_value()));
  const RdbFile file = read_rdb(bytes_of(bytes));
  EXPECT_EQ(file.key_count, 4U);
  ASSERT_EQ(file.modules.size(), 3U);
  const ModuleKey& seen = file.modules[0];
  EXPECT_EQ(seen.database, 0U);
  EXPECT_EQ(seen.key, "seen");
  EXPECT_EQ(seen.type.name, "MBbloom--");
  EXPECT_EQ(seen.type.encoding_version, 4U);
  EXPECT_EQ(seen.expires_at_ms, 1'800'000'000'123U);
  const ModuleKey& other = file.modules[1];
  EXPECT_EQ(other.key, "a\0b"s);
  EXPECT_EQ(other.type.name, "MBbloomCF");
  EXPECT_EQ(other.expires_at_ms, 1'700'000'000'000U);
  EXPECT_EQ(file.modules[2].database, 9U);
  EXPECT_EQ(file.modules[2].expires_at_ms, std::nullopt);

  ASSERT_EQ(holds(seen), Holds::chain);
  const AnyFilter filter = extract(bytes_of(bytes), seen);
  for (const std::string& key : testing::texts(2'000, "item:")) {
    ASSERT_EQ(filter.may_contain(key), model.exists(key)) << key;
  }
  const FilterContents described = describe(bytes_of(bytes), file.modules[2]);
  EXPECT_EQ(described.layers, filter.contents().layers);
  EXPECT_TRUE(described.words.empty());
  EXPECT_NE(holds(other), Holds::chain);
  EXPECT_THROW(extract(bytes_of(bytes), other), FormatError);
}

TEST(RdbFile, OfValkeyIsReadByItsOwnRules) {
  const std::string fields =
      "\2" + strings(2) + std::string(8, '\xff') + strings(2) + std::string(8, 't');
  const std::string slots = "\xf3" + strings(1) + "\2\1\2\3\4";
  const RdbFile file =
      read_rdb(bytes_of(file_of(slots + key_of('\x16', "hash", fields), "VALKEY080")));
  EXPECT_TRUE(file.is_valkey);
  EXPECT_EQ(file.version, 80U);
  EXPECT_EQ(file.key_count, 1U);
}

// Valkey 7.2 and 8 write the magic of Redis.
TEST(RdbFile, SaysWhoWroteIt) {
  const auto note = [](const std::string& name) {
    return "\xfa" + plain_string(name) + plain_string("8.0.1");
  };
  EXPECT_FALSE(read_rdb(bytes_of(file_of(note("redis-ver")))).is_written_by_valkey);
  const RdbFile file = read_rdb(bytes_of(file_of(note("valkey-ver") + note("redis-bits"))));
  EXPECT_TRUE(file.is_written_by_valkey);
  EXPECT_FALSE(file.is_valkey);
  EXPECT_TRUE(read_rdb(bytes_of(file_of("", "VALKEY080"))).is_written_by_valkey);
}

TEST(RdbFile, OfTheFirstVersionsHasNoChecksum) {
  EXPECT_FALSE(read_rdb(bytes_of("REDIS0001\xff"s)).has_checksum);
  EXPECT_FALSE(
      read_rdb(bytes_of("REDIS0004" + key_of('\1', "k", counted(2)) + '\xff')).has_checksum);
  EXPECT_FALSE(read_rdb(bytes_of("REDIS0009\xff" + std::string(8, '\0'))).has_checksum);
}

TEST(RdbFile, ThatIsDamagedIsRefusedAndTheFieldNamed) {
  const std::string good = file_of(key_of('\0', "k", strings(1)));
  std::string flipped = good;
  flipped[14] ^= 1;
  std::string huge = "REDIS0011";
  huge += '\4' + plain_string("k");
  append_length(huge, std::uint64_t{1} << 60);
  const std::pair<std::string, const char*> faults[] = {
      {"", "magic at byte 0"},
      {"REDIS001", "magic at byte 0"},
      {"GARNET011\xff", "magic at byte 0"},
      {"REDIS00x1\xff", "version at byte 5"},
      {"REDIS0000\xff", "version at byte 5"},
      {flipped, "checksum at byte"},
      {good + "x", "end at byte"},
      {good.substr(0, good.size() - 1), "checksum at byte"},
      {file_of(key_of('\6', "k", strings(1))), "of type 6"},
      {file_of(key_of('\x63', "k", strings(1))), "of type 99"},
      {file_of(key_of('\0', "k", "\x82")), "a length that begins with byte 130"},
      {file_of(key_of('\0', "k", "\xc9")), "encoding 9"},
      {file_of(key_of('\1', "k", "\xc0\1")), "an encoded string where a length belongs"},
      {file_of(key_of('\0', "k", "\xc3\3\x81\xff\xff\xff\xff\xff\xff\xff\xff" + "abc"s)),
       "packed bytes cannot hold"},
      {file_of(key_of('\0', "k", "\x81\xff\xff\xff\xff\xff\xff\xff\xff")), "but only"},
      {file_of("\xf7\1\7"), "tag of a module's value"},
      {huge, "field of a hash"},
  };
  for (const auto& [bytes, expected] : faults) {
    try {
      read_rdb(bytes_of(bytes));
      ADD_FAILURE() << "accepted where " << expected;
    } catch (const FormatError& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr(expected));
      EXPECT_THAT(error.what(), ::testing::HasSubstr("at byte "));
    }
  }
}

}  // namespace
}  // namespace bloomery::rdb
