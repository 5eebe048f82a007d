// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/rdb/rdb_values.h"

#include "bloomery/format/rdb/module_value.h"

namespace bloomery::rdb {
namespace {

constexpr std::uint64_t kTimeBytes = 8;
constexpr std::uint64_t kRawStreamIdBytes = 16;
constexpr std::uint64_t kStreamIdLengths = 2;

// Versions of the stream types: each adds to the one before.
enum StreamVersion { kFirst = 1, kOffsets, kActiveTimes, kIdempotence, kUnowned };

void skip_text_score(RdbCursor& cursor) {
  constexpr std::uint8_t kNotANumber = 253;
  const std::uint8_t digits = cursor.byte("score");
  if (digits < kNotANumber) cursor.skip(digits, "score");  // else NaN or an infinity
}

void skip_consumers(RdbCursor& cursor, StreamVersion version) {
  const std::uint64_t consumers = cursor.length("consumers of a stream");
  for (std::uint64_t i = 0; i < consumers; ++i) {
    cursor.string("consumer of a stream");
    cursor.skip(kTimeBytes, "time of a consumer");
    if (version >= kActiveTimes) cursor.skip(kTimeBytes, "time of a consumer");
    const std::uint64_t pending = cursor.length("entries of a consumer");
    for (std::uint64_t j = 0; j < pending; ++j) {
      cursor.skip(kRawStreamIdBytes, "entry of a consumer");
    }
  }
}

void skip_group(RdbCursor& cursor, StreamVersion version) {
  cursor.string("group of a stream");
  cursor.skip_lengths(kStreamIdLengths, "group of a stream");
  if (version >= kOffsets) cursor.length("group of a stream");
  const std::uint64_t pending = cursor.length("entries of a group");
  for (std::uint64_t i = 0; i < pending; ++i) {
    cursor.skip(kRawStreamIdBytes + kTimeBytes, "entry of a group");
    cursor.length("entry of a group");
  }
  skip_consumers(cursor, version);
  if (version < kUnowned) return;
  const std::uint64_t unowned = cursor.length("entries of no consumer");
  for (std::uint64_t i = 0; i < unowned; ++i) {
    cursor.skip(kRawStreamIdBytes, "entry of no consumer");
  }
}

void skip_producers(RdbCursor& cursor) {
  cursor.skip_lengths(2, "producers of a stream");
  const std::uint64_t producers = cursor.length("producers of a stream");
  for (std::uint64_t i = 0; i < producers; ++i) {
    cursor.string("producer of a stream");
    const std::uint64_t entries = cursor.length("entries of a producer");
    for (std::uint64_t j = 0; j < entries; ++j) {
      cursor.string("entry of a producer");
      cursor.skip_lengths(kStreamIdLengths, "entry of a producer");
    }
  }
  cursor.skip_lengths(2, "producers of a stream");
}

void skip_stream(RdbCursor& cursor, StreamVersion version) {
  const std::uint64_t nodes = cursor.length("nodes of a stream");
  for (std::uint64_t i = 0; i < nodes; ++i) cursor.skip_strings(2, "node of a stream");
  cursor.length("entries of a stream");
  cursor.skip_lengths(kStreamIdLengths, "last entry of a stream");
  if (version >= kOffsets) cursor.skip_lengths(2 * kStreamIdLengths + 1, "offsets of a stream");
  const std::uint64_t groups = cursor.length("groups of a stream");
  for (std::uint64_t i = 0; i < groups; ++i) skip_group(cursor, version);
  if (version >= kIdempotence) skip_producers(cursor);
}

// Fields that expire, each with its time before or behind it.
void skip_expiring_fields(RdbCursor& cursor, bool is_valkey) {
  const std::uint64_t fields = cursor.length("fields of a hash");
  for (std::uint64_t i = 0; i < fields; ++i) {
    if (!is_valkey) cursor.length("time of a field");
    cursor.skip_strings(2, "field of a hash");
    if (is_valkey) cursor.skip(kTimeBytes, "time of a field");
  }
}

}  // namespace

void skip_value(RdbCursor& cursor, std::uint8_t type, bool is_valkey) {
  const std::size_t at = cursor.offset();
  switch (type) {
    case 0:   // string
    case 9:   // hash: zipmap
    case 10:  // list: ziplist
    case 11:  // set: intset
    case 12:  // sorted set: ziplist
    case 13:  // hash: ziplist
    case 16:  // hash: listpack
    case 17:  // sorted set: listpack
    case 20:  // set: listpack
      cursor.string("value");
      return;
    case 1:   // list
    case 2:   // set
    case 14:  // list of ziplists
      return cursor.skip_strings(cursor.length("elements"), "element");
    case 4: {  // hash
      const std::uint64_t fields = cursor.length("fields of a hash");
      for (std::uint64_t i = 0; i < fields; ++i) cursor.skip_strings(2, "field of a hash");
      return;
    }
    case 3:    // sorted set, scores in digits
    case 5: {  // sorted set, scores as doubles
      const std::uint64_t members = cursor.length("members");
      for (std::uint64_t i = 0; i < members; ++i) {
        cursor.string("member");
        type == 3 ? skip_text_score(cursor) : cursor.skip(sizeof(double), "score");
      }
      return;
    }
    case kModuleValue:
      cursor.length("module type");
      return skip_module_values(cursor);
    case 15:
      return skip_stream(cursor, kFirst);
    case 18: {  // list of listpacks and of single elements
      const std::uint64_t nodes = cursor.length("nodes of a list");
      for (std::uint64_t i = 0; i < nodes; ++i) {
        cursor.length("kind of a node");
        cursor.string("node of a list");
      }
      return;
    }
    case 19:
      return skip_stream(cursor, kOffsets);
    case 21:
      return skip_stream(cursor, kActiveTimes);
    case 24:  // hash whose fields expire, the soonest first
      cursor.skip(kTimeBytes, "time of a hash");
      return skip_expiring_fields(cursor, false);
    case 22:
      return skip_expiring_fields(cursor, is_valkey);
    case 25:  // the same in a listpack
      cursor.skip(kTimeBytes, "time of a hash");
      [[fallthrough]];
    case 23:
      cursor.string("value");
      return;
    case 26:
      return skip_stream(cursor, kIdempotence);
    case 27:
      return skip_stream(cursor, kUnowned);
    default:
      cursor.refuse(at, "value",
                    "of type " + std::to_string(type) +
                        ", which is not known: a newer server wrote it, or it is damaged");
  }
}

}  // namespace bloomery::rdb
