// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bloomery/errors.h"
#include "bloomery/place/call_context.h"
#include "bloomery/place/watermark.h"
#include "bloomery/source/mariadb/column.h"
#include "bloomery/source/mariadb/gtid_state.h"
#include "bloomery/source/mariadb/mariadb_connection.h"

namespace bloomery::mariadb {

// A pooler between has exchanged the session that was asked before for another one, of this server
// or of another.
struct SessionExchanged : StoreError {
  using StoreError::StoreError;
};

// server_run: the run and the server that a session is with. require_run: throws StoreError where
// it is another, since a name may lead the sessions of one reading to several servers.
std::string server_run(Connection& connection, const CallContext& context);
void require_run(Connection& connection, const std::string& run, const CallContext& context);

// All that must stay unchanged for a table's rows to come out of a binary log without a gap: the
// server, its start (rows may be lost or come without the log around it: sync_binlog, a restored
// copy, a while without log_bin), the column, and which domains the log has (what is deleted of
// them makes positions smaller).
//
// How often somebody said RESET to the server in this run is a part of it, too: RESET MASTER begins
// the log anew, with the files and numbers that there were. A statement is counted before it does
// anything, and also where it is refused, or is RESET QUERY CACHE.
//
// A variable of the session, which the server has computed, says which run of the server it is:
// where something between exchanges the session for another, or for one of another server, the
// question notices.
class History {
 public:
  struct Now {
    std::string server;  // all that makes the identity, but the domains
    GtidState state;
    LogFile file;

    Identity identity_with(const GtidState& other_state) const;
    Watermark watermark() const {
      return {identity_with(state), LogPosition::of(state.sum(), file.number)};
    }
  };

  // Throws std::invalid_argument for a server or a table whose log does not tell all, saying what
  // to change.
  History(Connection& connection, const Table& table, const CallContext& context);

  // One question, but for a second one where the log's file is another since, or could have begun
  // anew and come as far again: one of few transactions, or one not asked about for long. Throws
  // SourceChanged where there is no such table or column any more, SessionExchanged.
  Now ask(Connection& connection, const CallContext& context);

  // Returns whether any session has said RESET since; asks the server.
  bool was_reset(Connection& connection, const CallContext& context) const;

 private:
  using Clock = CallContext::Clock;

  void look_for_log(Connection& connection, const CallContext& context);
  bool may_be_anew(Clock::time_point now) const;

  std::string server_;
  std::string column_;  // a question that is refused where it is gone
  std::string question_;
  bool logs_replicated_ = true;
  // `file_`: where the log was when somebody looked. What comes of an old one is not unsound
  // (LogPosition).
  std::optional<LogFile> file_;
  std::string begins_;  // what was logged before that file
  std::string resets_;
  // The last question's answer, and when the question was begun.
  std::uint64_t sum_ = 0;
  Clock::time_point asked_{};
  Clock::time_point looked_{};
};

}  // namespace bloomery::mariadb
