// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bloomery/place/call_context.h"
#include "bloomery/place/watermark.h"
#include "bloomery/source/mariadb/column.h"
#include "bloomery/source/mariadb/gtid_state.h"
#include "bloomery/source/mariadb/mariadb_connection.h"

namespace bloomery::mysql {

// A place in MySQL's binary log as the position of a watermark. Throws SourceChanged for one that
// is too far: files from 2^20 on, offsets from 2^44 on.
std::uint64_t position_of(const mariadb::LogFile& file, std::uint64_t offset);

// A place in the log, between two transactions.
struct LogPoint {
  mariadb::LogFile file;
  std::uint64_t offset = 0;

  std::uint64_t position() const { return position_of(file, offset); }
};

// LogHistory: all that must stay as it is for a table's rows to come out of MySQL's binary log
// without a gap: the server, its start (a crash may keep rows that the log lost: sync_binlog), the
// log's files, the column, and how often somebody said RESET in this run, since RESET BINARY LOGS
// AND GTIDS begins the log anew with the names and offsets that there were. A statement is counted
// before it does anything, and also where it is refused or resets something else.
//
// The run of the server stands in a variable of the session, as in MariaDB's History. Each
// session that asks a LogHistory has one of its own. One thread at a time.
class LogHistory {
 public:
  struct Now {
    Identity source;
    LogPoint end;  // of the log

    Watermark watermark() const { return {source, end.position()}; }
  };

  // Throws std::invalid_argument for a server or a table whose log does not tell all, saying what
  // to change.
  LogHistory(mariadb::Connection& connection, const mariadb::Table& table,
             const CallContext& context);

  // Asks where the log ends: a row that anybody can see (but for READ UNCOMMITTED) was logged
  // before that. Three questions. Throws SourceChanged where there is no such table or column any
  // more, mariadb::SessionExchanged, and StoreError where the server may no longer log all.
  Now ask(mariadb::Connection& connection, const CallContext& context) const;

  // Returns whether somebody has said RESET since, by a question of any session.
  bool was_reset(mariadb::Connection& connection, const CallContext& context) const;

 private:
  std::string server_;  // all that makes the identity, but for the run and RESETs
  std::string question_;
  std::string resets_;
};

// The status of the log, as a row: file, offset, and the databases that are logged alone or not at
// all. Throws std::invalid_argument where the user may not ask, or there is no log.
mariadb::Connection::Row log_status(mariadb::Connection& connection, const CallContext& context);

// A place in the log up to which every snapshot sees that begins afterwards, but for XA COMMITs.
// The server waits until all transactions in its log are committed in the tables, and lets nobody
// commit meanwhile. Nothing where the user may not ask (BACKUP_ADMIN and SELECT on
// performance_schema.log_status).
std::optional<LogPoint> visible_point(mariadb::Connection& connection, const CallContext& context);

// `GRANT ... TO` the user of a session, for messages.
std::string grant(mariadb::Connection& connection, const std::string& rights,
                  const CallContext& context);

}  // namespace bloomery::mysql
