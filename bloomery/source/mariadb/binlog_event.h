// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bloomery/source/mariadb/byte_cursor.h"
#include "bloomery/source/mariadb/gtid_state.h"

namespace bloomery::mariadb {

// Events of MariaDB's and MySQL's binary logs that a reader has to know.
enum class EventType : std::uint8_t {
  query = 2,
  stop = 3,
  rotate = 4,
  integer_variable = 5,
  random_seed = 13,
  user_variable = 14,
  format_description = 15,
  commit = 16,  // "XID"
  table_map = 19,
  write_rows = 23,
  update_rows = 24,
  delete_rows = 25,
  incident = 26,
  heartbeat = 27,
  // MySQL's alone, from here to 42, but for XA.
  rows_query = 29,
  write_rows_v2 = 30,
  update_rows_v2 = 31,
  delete_rows_v2 = 32,
  mysql_gtid = 33,
  anonymous_gtid = 34,
  previous_gtids = 35,
  transaction_context = 36,
  view_change = 37,
  xa_prepare = 38,
  partial_update_rows = 39,
  transaction_payload = 40,
  heartbeat_v2 = 41,
  tagged_gtid = 42,
  annotate_rows = 160,
  checkpoint = 161,
  gtid = 162,
  gtid_list = 163,
  start_encryption = 164,
  compressed_query = 165,
  compressed_write_rows = 166,
  compressed_update_rows = 167,
  compressed_delete_rows = 168,
};

struct BinlogEvent {
  EventType type{};
  std::uint32_t server = 0;
  std::uint32_t length = 0;  // in its file
  std::uint32_t end = 0;     // in its file: the lower half of where it ends
  bool is_made_up = false;   // by the server as it sends; it is not in the log
  std::string_view body;     // behind the header, without the checksum
};

inline constexpr std::size_t kEventHeaderBytes = 19;

// An event without a checksum, as it stands in a compressed transaction of MySQL's.
BinlogEvent read_bare_event(std::string_view whole);

// Cuts the log's packets into events. What is no event, or has another checksum than its bytes,
// throws SourceChanged: some rows would be lost with it.
class EventReader {
 public:
  BinlogEvent read(std::string_view packet);

 private:
  bool has_checksums_ = false;  // as the last format description says
};

struct GtidEvent {
  static constexpr std::uint8_t kStandalone = 0x01;  // one statement, without COMMIT
  static constexpr std::uint8_t kGroupCommit = 0x02;
  static constexpr std::uint8_t kDdl = 0x20;
  static constexpr std::uint8_t kXaPrepared = 0x40;
  static constexpr std::uint8_t kXaCompleted = 0x80;

  std::uint64_t number = 0;
  std::uint32_t domain = 0;
  std::uint8_t flags = 0;
  std::uint64_t group = 0;  // of several that were logged together
  std::string xa_name;      // of a transaction in two phases

  bool has(std::uint8_t flag) const noexcept { return (flags & flag) != 0; }
};
GtidEvent read_gtid(std::string_view body);

// The last transaction of each domain, at the beginning of a file; none where it says something
// else to a replica.
std::optional<GtidState> read_gtid_list(std::string_view body);

// The name of the file that comes next.
std::string_view read_rotation(std::string_view body);

// The text of a statement; in `room` where it was compressed.
std::string_view read_statement(const BinlogEvent& event, std::string& room);

// Uncompresses what MariaDB compressed (log_bin_compress), into `room`.
std::string_view uncompress(std::string_view bytes, std::string& room);

}  // namespace bloomery::mariadb
