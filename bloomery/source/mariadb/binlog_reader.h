// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "bloomery/source/mariadb/binlog_event.h"
#include "bloomery/source/mariadb/column.h"
#include "bloomery/source/mariadb/gtid_state.h"
#include "bloomery/source/mariadb/logged_changes.h"
#include "bloomery/source/mariadb/row_reader.h"

namespace bloomery::mariadb {

// Turns events of a binary log into keys of one column. Whatever may have changed rows that it
// cannot see throws SourceChanged.
class BinlogReader {
 public:
  // Reads the transactions behind `state`, which is in `file`. Transactions up to the position
  // `known` are known already.
  BinlogReader(Table table, const KeyForm& form, GtidState state, LogFile file, std::uint64_t known,
               bool tells_touched = false);
  // Reads the log before the place where following begins. Takes all rows that can be read: the
  // table may have been another one then, and the log another.
  static BinlogReader before(Table table, const KeyForm& form, LogFile file);

  // Adds what a packet of the log says.
  void read(std::string_view packet, LoggedChanges& changes);

 private:
  // Returns whether the transaction at hand is known.
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
  void read_rows(const BinlogEvent& event, LoggedChanges& changes);
  void take_known_rows(const BinlogEvent& event, LoggedChanges& changes);

  RowReader rows_;
  EventReader events_;
  GtidState state_;  // of the transaction at hand, or the last one
  LogFile file_;
  // A file has ended, and the next one has not said yet that it goes on from there: a server that
  // is slow to begin it sends heartbeats meanwhile.
  bool is_between_files_ = false;
  const std::uint64_t known_sum_;
  bool takes_known_ = false;
  std::optional<GtidEvent> transaction_;
  // Rows of transactions in two phases, by their names: they count once the second is in the log,
  // as a scan in between does not see them.
  std::map<std::string, LoggedChanges> prepared_;
  std::size_t prepared_bytes_ = 0;
  std::string room_;
};

}  // namespace bloomery::mariadb
