// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/rdb/rdb_file.h"

#include <charconv>
#include <string_view>

#include "bloomery/format/rdb/crc64.h"
#include "bloomery/format/rdb/rdb_values.h"
#include "bloomery/format/redisbloom/redisbloom_filter.h"

namespace bloomery::rdb {
namespace {

constexpr const char* kDump = "a dump of Redis or Valkey";
constexpr std::uint32_t kFirstWithChecksum = 5;

enum Opcode : std::uint8_t {
  kKeyNotes = 243,  // of Redis; in Valkey: slots on their way
  kSlotInfo = 244,
  kFunction = 245,
  kOldFunction = 246,
  kModuleNotes = 247,
  kIdleTime = 248,
  kFrequency = 249,
  kNote = 250,
  kSizes = 251,
  kExpiresAtMs = 252,
  kExpiresAt = 253,
  kDatabase = 254,
  kEndOfFile = 255,
};

// Magic and version; where entries begin.
void read_head(RdbCursor& cursor, std::span<const std::byte> bytes, RdbFile& file) {
  constexpr std::size_t kHeadBytes = 9;
  cursor.skip(kHeadBytes, "magic");
  const std::string_view head(reinterpret_cast<const char*>(bytes.data()), kHeadBytes);
  file.is_valkey = head.starts_with("VALKEY");
  if (!file.is_valkey && !head.starts_with("REDIS")) {
    cursor.refuse(0, "magic", "it begins neither with REDIS nor with VALKEY");
  }
  const std::string_view digits = head.substr(file.is_valkey ? 6 : 5);
  const char* const end = digits.data() + digits.size();
  const auto [rest, error] = std::from_chars(digits.data(), end, file.version);
  if (error != std::errc() || rest != end || file.version == 0) {
    cursor.refuse(kHeadBytes - digits.size(), "version",
                  "\"" + std::string(digits) + "\" is no number from 1 up");
  }
}

void skip_key_notes(RdbCursor& cursor) {
  constexpr std::uint64_t kClassBytes = 4;
  const std::uint64_t classes = cursor.length("notes of a key");
  for (std::uint64_t i = 0; i < classes; ++i) {
    cursor.skip(kClassBytes, "note of a key");
    skip_module_values(cursor);
  }
}

void skip_slots_on_their_way(RdbCursor& cursor) {
  cursor.string("slots on their way");
  const std::uint64_t ranges = cursor.length("slots on their way");
  for (std::uint64_t i = 0; i < ranges; ++i) cursor.skip_lengths(2, "slots on their way");
}

void skip_old_function(RdbCursor& cursor) {
  cursor.skip_strings(2, "function");
  if (cursor.length("function") != 0) cursor.string("function");
  cursor.string("function");
}

// Facts about the next key, and about all that follow until they change.
struct State {
  std::uint64_t database = 0;
  std::optional<std::uint64_t> expires_at_ms{};
  bool is_written_by_valkey = false;
};

void take_note(RdbCursor& cursor, State& state) {
  constexpr std::string_view kName = "valkey-ver";
  const PackedString name = cursor.string("note");
  cursor.string("note");
  if (name.byte_count != kName.size()) return;
  state.is_written_by_valkey = state.is_written_by_valkey || cursor.text(name, "note") == kName;
}

// Entries that are no key. False for the end.
bool take_entry(RdbCursor& cursor, std::uint8_t opcode, bool is_valkey, State& state) {
  switch (opcode) {
    case kKeyNotes:
      is_valkey ? skip_slots_on_their_way(cursor) : skip_key_notes(cursor);
      return true;
    case kSlotInfo:
      cursor.skip_lengths(3, "slot");
      return true;
    case kFunction:
      cursor.string("function");
      return true;
    case kOldFunction:
      skip_old_function(cursor);
      return true;
    case kModuleNotes:
      cursor.length("module type");
      skip_module_values(cursor);
      return true;
    case kIdleTime:
      cursor.length("idle time");
      return true;
    case kFrequency:
      cursor.byte("frequency");
      return true;
    case kNote:
      take_note(cursor, state);
      return true;
    case kSizes:
      cursor.skip_lengths(2, "sizes");
      return true;
    case kExpiresAtMs:
      state.expires_at_ms = cursor.little<std::uint64_t>("expiry");
      return true;
    case kExpiresAt:
      state.expires_at_ms = cursor.little<std::uint32_t>("expiry") * std::uint64_t{1000};
      return true;
    case kDatabase:
      state.database = cursor.length("database");
      return true;
    default:
      return false;
  }
}

void read_key(RdbCursor& cursor, std::uint8_t type, const State& state, RdbFile& file) {
  const PackedString name = cursor.string("key");
  ++file.key_count;
  if (type != kModuleValue) return skip_value(cursor, type, file.is_valkey);
  ModuleKey key{.database = state.database,
                .key = cursor.text(name, "key"),
                .type = module_type(cursor.length("module type")),
                .expires_at_ms = state.expires_at_ms,
                .offset = cursor.offset()};
  skip_module_values(cursor);
  key.byte_count = cursor.offset() - key.offset;
  file.modules.push_back(std::move(key));
}

void check_tail(RdbCursor& cursor, std::span<const std::byte> bytes, RdbFile& file) {
  const std::size_t at = cursor.offset();
  if (file.version >= kFirstWithChecksum) {
    const auto checksum = cursor.little<std::uint64_t>("checksum");
    file.has_checksum = checksum != 0;
    if (file.has_checksum && checksum != crc64(bytes.first(at))) {
      cursor.refuse(at, "checksum", "it is not that of the bytes");
    }
  }
  if (cursor.left() != 0) {
    cursor.refuse(cursor.offset(), "end", std::to_string(cursor.left()) + " bytes follow it");
  }
}

template <class Read>
auto read_values(std::span<const std::byte> bytes, const ModuleKey& key, Holds wanted,
                 const char* type_name, Read read) {
  if (holds(key) != wanted) {
    throw FormatError("the key \"" + key.key + "\" is of type " + key.type.name + ", where it is " +
                      type_name);
  }
  RdbCursor cursor = cursor_at(bytes, key);
  ModuleReader reader(cursor);
  auto value = read(reader, key.type.encoding_version);
  reader.expect_end();
  return value;
}

template <class Read>
auto read_chain(std::span<const std::byte> bytes, const ModuleKey& key, Read read) {
  return read_values(bytes, key, Holds::chain, redisbloom::kTypeName, read);
}

template <class Read>
auto read_cuckoo(std::span<const std::byte> bytes, const ModuleKey& key, Read read) {
  return read_values(bytes, key, Holds::cuckoo, redisbloom::kCuckooTypeName, read);
}

}  // namespace

RdbFile read_rdb(std::span<const std::byte> bytes) {
  RdbCursor cursor(bytes, kDump);
  RdbFile file;
  read_head(cursor, bytes, file);
  State state;
  for (;;) {
    const std::uint8_t first = cursor.byte("entry");
    if (first == kEndOfFile) break;
    if (take_entry(cursor, first, file.is_valkey, state)) continue;
    read_key(cursor, first, state, file);
    state.expires_at_ms.reset();
  }
  file.is_written_by_valkey = file.is_valkey || state.is_written_by_valkey;
  check_tail(cursor, bytes, file);
  return file;
}

RdbCursor cursor_at(std::span<const std::byte> bytes, const ModuleKey& key) {
  RdbCursor cursor(bytes.first(key.offset + key.byte_count), kDump);
  cursor.skip(key.offset, "values of a key");
  return cursor;
}

redisbloom::CuckooShape describe_cuckoo(std::span<const std::byte> bytes, const ModuleKey& key) {
  return read_cuckoo(bytes, key, redisbloom::read_cuckoo_shape);
}

redisbloom::CuckooFilter extract_cuckoo(std::span<const std::byte> bytes, const ModuleKey& key) {
  return read_cuckoo(bytes, key, redisbloom::read_cuckoo_value);
}

AnyFilter extract(std::span<const std::byte> bytes, const ModuleKey& key) {
  const redisbloom::ReadChain read = read_chain(bytes, key, redisbloom::read_value);
  return redisbloom::open_chain(read.contents, read.words);
}

FilterContents describe(std::span<const std::byte> bytes, const ModuleKey& key) {
  return read_chain(bytes, key, redisbloom::read_value_shape);
}

}  // namespace bloomery::rdb
