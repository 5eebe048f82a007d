// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bloomery/source/mariadb/binlog_event.h"
#include "bloomery/source/mariadb/column.h"
#include "bloomery/source/mariadb/gtid_state.h"
#include "bloomery/source/mariadb/key_writer.h"
#include "bloomery/source/mariadb/logged_key.h"
#include "bloomery/source/mariadb/row_layout.h"
#include "bloomery/source/packed_keys.h"

namespace bloomery::mariadb {

// What came out of a log since it was taken last.
struct LoggedChanges {
  PackedKeys keys;
  std::uint64_t deleted_count = 0;
  PackedKeys touched;
  std::uint64_t untold_count = 0;
  // All transactions up to here are in it, or were before. Set where one ended, or where the server
  // says that nothing happens.
  std::optional<std::uint64_t> position;
  // Where in the log the last transaction ended (log_place); less in a file beyond 4 GiB.
  std::optional<std::uint64_t> end;
  bool is_open = false;  // the last transaction of it has not ended

  std::size_t key_count() const noexcept { return keys.size() + touched.size(); }
  std::size_t byte_count() const noexcept { return keys.byte_count() + touched.byte_count(); }
  std::size_t memory() const noexcept { return byte_count() + key_count() * sizeof(std::size_t); }
  // Takes what another has away.
  void append(LoggedChanges& from);
  void clear() noexcept;
};

// Turns events of a binary log into keys of one column. Whatever may have changed rows that it
// cannot see throws SourceChanged.
class BinlogReader {
 public:
  // Of the transactions behind `state`, which is in `file`; those up to the position `known` are
  // known already.
  BinlogReader(Table table, const KeyForm& form, GtidState state, LogFile file, std::uint64_t known,
               bool tells_touched = false);
  // Of what stands in the log before following begins. Takes all rows, as far as they can be: the
  // table may have been another one then, and the log another.
  static BinlogReader before(Table table, const KeyForm& form, LogFile file);

  // Adds what a packet of the log says.
  void read(std::string_view packet, LoggedChanges& changes);

 private:
  struct MappedTable {
    RowLayout layout;
    bool is_ours = false;
  };

  // Of the transaction at hand.
  bool is_known() const noexcept { return state_.sum() <= known_sum_; }
  void tell_position(LoggedChanges& changes) const;
  void begin_file(const BinlogEvent& event, LoggedChanges& changes);
  void rotate(const BinlogEvent& event);
  void take(const BinlogEvent& event, LoggedChanges& changes);
  void begin_transaction(const BinlogEvent& event, LoggedChanges& changes);
  void prepare(const std::string& xa_name);
  void complete(const std::string& xa_name, LoggedChanges& changes);
  void end_transaction(LoggedChanges& changes);
  void read_statement_event(const BinlogEvent& event, LoggedChanges& changes);
  void map_table(std::string_view body);
  void check_mapping(const TableMap& map) const;
  void read_rows(const BinlogEvent& event, LoggedChanges& changes);
  void take_known_rows(const BinlogEvent& event, LoggedChanges& changes);
  void take_rows(const BinlogEvent& event, LoggedChanges& changes);
  void touch(const LoggedField& was, LoggedChanges& changes);
  void add_key(std::string_view logged, PackedKeys& to);

  const Table table_;
  LoggedKey logged_key_;
  KeyWriter writer_;
  EventReader events_;
  GtidState state_;  // of the transaction at hand, or the last one
  LogFile file_;
  const std::uint64_t known_sum_;
  const bool tells_touched_;
  bool takes_known_ = false;
  std::optional<GtidEvent> transaction_;
  std::unordered_map<std::uint64_t, MappedTable> tables_;  // of the transaction at hand
  // Rows of transactions in two phases, by their names: they count once the second is in the log,
  // as a scan in between does not see them.
  std::map<std::string, LoggedChanges> prepared_;
  std::size_t prepared_bytes_ = 0;
  std::string room_;
};

}  // namespace bloomery::mariadb
