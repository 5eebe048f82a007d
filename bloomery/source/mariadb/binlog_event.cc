// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/mariadb/binlog_event.h"

#include <zlib.h>

#include <algorithm>
#include <map>

namespace bloomery::mariadb {
namespace {

constexpr std::size_t kChecksumBytes = 4;

// A format description says at its end whether events have checksums, and always has one itself.
bool describes_checksums(std::string_view body) {
  ByteCursor cursor(body);
  constexpr std::size_t kAlgorithmByte = 1;
  cursor.drop_back(kChecksumBytes);
  if (cursor.left() == 0) cursor.take(kAlgorithmByte);
  const auto algorithm = static_cast<std::uint8_t>(cursor.rest().back());
  if (algorithm > 1) {
    throw SourceChanged("the binary log has checksums of an unknown kind (" +
                        std::to_string(algorithm) + ")");
  }
  return algorithm == 1;
}

void check_sum(std::string_view event) {
  ByteCursor stored(event);
  stored.take(event.size() - kChecksumBytes);
  const auto sum =
      crc32_z(0, reinterpret_cast<const Bytef*>(event.data()), event.size() - kChecksumBytes);
  if (sum != stored.number(kChecksumBytes)) {
    throw SourceChanged("an event of the binary log has a checksum that is wrong: it is damaged");
  }
}

// Nothing is taken from them.
bool has_no_content(EventType type) noexcept {
  return type == EventType::heartbeat || type == EventType::heartbeat_v2 ||
         type == EventType::checkpoint || type == EventType::annotate_rows ||
         type == EventType::stop || type == EventType::start_encryption;
}

BinlogEvent read_header(ByteCursor& cursor) {
  BinlogEvent event;
  ByteCursor header(cursor.take(kEventHeaderBytes));
  header.take(4);  // its time
  event.type = static_cast<EventType>(header.byte());
  event.server = static_cast<std::uint32_t>(header.number(4));
  event.length = static_cast<std::uint32_t>(header.number(4));
  event.end = static_cast<std::uint32_t>(header.number(4));
  constexpr std::uint64_t kArtificial = 0x20;
  event.is_made_up = (header.number(2) & kArtificial) != 0;
  return event;
}

}  // namespace

BinlogEvent read_bare_event(std::string_view whole) {
  ByteCursor cursor(whole);
  BinlogEvent event = read_header(cursor);
  if (event.length != whole.size()) {
    throw SourceChanged("an event of the binary log is cut short");
  }
  event.body = cursor.rest();
  return event;
}

BinlogEvent EventReader::read(std::string_view packet) {
  ByteCursor cursor(packet);
  if (cursor.byte() != 0) throw SourceChanged("the server sent something that is no event");
  const std::string_view whole = cursor.rest();
  BinlogEvent event = read_header(cursor);
  if (has_no_content(event.type)) return event;
  if (event.type == EventType::rotate && event.is_made_up) {
    // With a checksum or without one: it comes before the format is described.
    event.body = cursor.rest();
    return event;
  }
  if (event.length != whole.size()) throw SourceChanged("an event of the binary log is cut short");
  if (event.type == EventType::format_description) {
    has_checksums_ = describes_checksums(cursor.rest());
  }
  if (has_checksums_) {
    cursor.drop_back(kChecksumBytes);
    check_sum(whole);
  }
  event.body = cursor.rest();
  return event;
}

GtidEvent read_gtid(std::string_view body) {
  ByteCursor cursor(body);
  GtidEvent gtid;
  gtid.number = cursor.number(8);
  gtid.domain = static_cast<std::uint32_t>(cursor.number(4));
  gtid.flags = cursor.byte();
  if (gtid.has(GtidEvent::kGroupCommit)) gtid.group = cursor.number(8);
  if (gtid.has(GtidEvent::kXaPrepared | GtidEvent::kXaCompleted)) {
    ByteCursor lengths(cursor.rest());
    lengths.take(4);
    const std::size_t first = lengths.byte();
    const std::size_t second = lengths.byte();
    gtid.xa_name = cursor.take(6 + first + second);
  }
  return gtid;
}

std::optional<GtidState> read_gtid_list(std::string_view body) {
  ByteCursor cursor(body);
  constexpr std::uint64_t kCount = 0x0fffffff;
  constexpr std::size_t kEntryBytes = 16;
  const std::uint64_t head = cursor.number(4);
  const std::uint64_t count = head & kCount;
  if (head != count) return std::nullopt;
  if (cursor.left() / kEntryBytes < count) {
    throw SourceChanged("an event of the binary log is cut short or damaged");
  }
  // Among the servers of a domain, the one that wrote last comes last.
  std::map<std::uint32_t, std::string> last;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t domain = cursor.number(4);
    const std::uint64_t server = cursor.number(4);
    last[static_cast<std::uint32_t>(domain)] = std::to_string(domain) + "-" +
                                               std::to_string(server) + "-" +
                                               std::to_string(cursor.number(8));
  }
  std::string text;
  for (const auto& [domain, gtid] : last) text += (text.empty() ? "" : ",") + gtid;
  return GtidState(text);
}

std::string_view read_rotation(std::string_view body) {
  ByteCursor cursor(body);
  cursor.take(8);  // where it begins there
  return cursor.rest();
}

std::string_view read_statement(const BinlogEvent& event, std::string& room) {
  ByteCursor cursor(event.body);
  cursor.take(8);  // thread and time
  const std::size_t database_bytes = cursor.byte();
  cursor.take(2);  // error
  const std::size_t status_bytes = cursor.number(2);
  cursor.take(status_bytes);
  cursor.take(database_bytes + 1);
  return event.type == EventType::compressed_query ? uncompress(cursor.rest(), room)
                                                   : cursor.rest();
}

std::string_view uncompress(std::string_view bytes, std::string& room) {
  // The most that zlib makes of a byte, and so the most that a length can truly say.
  constexpr std::uint64_t kMostExpansion = 1032;
  ByteCursor cursor(bytes);
  const std::uint8_t head = cursor.byte();
  const std::size_t length_bytes = head & 0x07;
  if ((head & 0xf0) != 0x80 || length_bytes == 0 || length_bytes > 4) {
    throw SourceChanged("an event of the binary log is compressed in an unknown way");
  }
  std::uint64_t length = 0;
  for (const char byte : cursor.take(length_bytes)) {
    length = length << 8 | static_cast<std::uint8_t>(byte);
  }
  if (length > (cursor.left() + 1) * kMostExpansion) {
    throw SourceChanged("an event of the binary log says that it is larger than it can be");
  }
  room.resize(std::max<std::size_t>(length, 1));
  uLongf written = length;
  const int code =
      ::uncompress(reinterpret_cast<Bytef*>(room.data()), &written,
                   reinterpret_cast<const Bytef*>(cursor.rest().data()), cursor.left());
  if (code != Z_OK || written != length) {
    throw SourceChanged("an event of the binary log cannot be uncompressed");
  }
  return {room.data(), length};
}

}  // namespace bloomery::mariadb
