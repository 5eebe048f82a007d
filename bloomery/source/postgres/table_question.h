// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "bloomery/errors.h"
#include "bloomery/place/watermark.h"
#include "bloomery/source/postgres/postgres_connection.h"

namespace bloomery::postgres {

// How the publication of a column is called, and how the names of its slots begin.
std::string publication_name(const ServerSelection& selection);

// Throws std::invalid_argument where a location names anything but one column of a table.
void require_one_column(const ServerLocation& location);

// A pooler between has exchanged the session that was asked before for one of another run of the
// server, or of another server.
struct SessionExchanged : StoreError {
  using StoreError::StoreError;
};

// The run and the server that a session is with.
struct ServerRun {
  std::string server{};   // its system identifier and database
  std::string started{};  // in seconds, as a number

  friend bool operator==(const ServerRun&, const ServerRun&) = default;
};

// Throws StoreError if the session is with another run of the server than `run`. A name may lead
// several sessions to several servers, for example to an old primary and to the new one.
void require_run(Connection& connection, const ServerRun& run, const CallContext& context);

// Asks, in one round trip, how far a server is and what the table is that a location names. The
// answer's position is where the log ends that the server has written or is about to write: each
// row that anybody can see lies before it, flushed or not. Its source has all that must stay as it
// is for rows to come with the log:
//
// - the server: its system identifier, timeline, database;
// - the table of that name, its storage, and its partitions with theirs (TRUNCATE, SET UNLOGGED,
//   ALTER TYPE ... USING and another table under its name change rows without saying so), and what
//   made them partitions (a table that is detached and attached again was elsewhere meanwhile);
// - the column: its place, type and collation;
// - the columns by which the server names a row that was: the publication lists them, and the
//   server refuses an UPDATE where it does not;
// - the publication and what it holds, as one that is altered and altered back left rows out.
//
// The lower half of the source also has when the server was started, since one whose files were put
// back to an older state has the same log positions for other rows. The start comes with each
// answer.
class TableQuestion {
 public:
  // Prepares the question.
  TableQuestion(Connection& connection, const ServerSelection& selection,
                const CallContext& context);

  // Throws StoreError where the server is a standby, SourceChanged where there is no such table,
  // SessionExchanged where a new question is needed.
  // `table_oid`, where given, becomes that of the table which the answer is about.
  Watermark ask(Connection& connection, const CallContext& context,
                std::string* table_oid = nullptr);

  const ServerRun& run() const noexcept { return run_; }

 private:
  std::string table_;  // quoted
  std::string column_;
  std::string publication_;
  ServerRun run_;
  std::uint64_t block_byte_count_ = 0;
  std::uint64_t segment_byte_count_ = 0;
  PreparedStatement question_;
};

}  // namespace bloomery::postgres
