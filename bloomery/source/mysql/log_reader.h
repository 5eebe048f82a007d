// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "bloomery/source/mariadb/binlog_event.h"
#include "bloomery/source/mariadb/row_reader.h"
#include "bloomery/source/mysql/log_history.h"

namespace bloomery::mysql {

// Turns events of MySQL's binary log into keys of one column. Whatever may have changed rows that
// it cannot see throws SourceChanged; so does each transaction in two phases (XA), of which rows
// are logged long before anybody sees them. One thread at a time.
class LogReader {
 public:
  struct Stretch {
    LogPoint from{mariadb::LogFile("binlog.000000")};
    // A position: transactions that ended at or before it are known already.
    std::uint64_t known = 0;
    // A position: rows before it may be of a table that was another one then, and are passed over,
    // as who made the table another one waited until they were seen (metadata locks). Nor is any
    // transaction in two phases before it prepared any more (require_none_prepared).
    std::uint64_t old = 0;
  };

  LogReader(mariadb::Table table, const KeyForm& form, Stretch stretch, bool tells_touched);

  // Adds what a packet of the log says.
  void read(std::string_view packet, mariadb::LoggedChanges& changes);

 private:
  // A transaction's first event has its number, the second one says what it is.
  enum class Part { between, begun, inside };

  void advance(const mariadb::BinlogEvent& event);
  void take(const mariadb::BinlogEvent& event, mariadb::LoggedChanges& changes);
  void begin(const mariadb::BinlogEvent& event);
  void end(mariadb::LoggedChanges& changes);
  void tell_position(mariadb::LoggedChanges& changes) const;
  void rotate(const mariadb::BinlogEvent& event);
  void read_statement_event(const mariadb::BinlogEvent& event, mariadb::LoggedChanges& changes);
  void take_payload(const mariadb::BinlogEvent& event, mariadb::LoggedChanges& changes);
  void require_inside() const;

  mariadb::RowReader rows_;
  mariadb::EventReader events_;
  LogPoint at_;  // behind the event at hand
  const std::uint64_t known_;
  const std::uint64_t old_;
  Part part_ = Part::between;
  bool is_known_ = false;  // the transaction at hand
  bool is_old_ = false;    // the transaction at hand
  std::string room_;
};

}  // namespace bloomery::mysql
