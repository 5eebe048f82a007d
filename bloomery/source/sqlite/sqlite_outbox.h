// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bloomery/place/watermark.h"
#include "bloomery/source/change_source.h"
#include "bloomery/source/sqlite_database.h"
#include "bloomery/source/sqlite_source.h"

namespace bloomery {

// Everything that is done between its making and its end is one transaction, undone without
// commit().
class SqliteTransaction {
 public:
  enum class Kind : std::uint8_t { reads, writes };
  using enum Kind;

  SqliteTransaction(SqliteDatabase& database, Kind kind);
  ~SqliteTransaction();
  SqliteTransaction(const SqliteTransaction&) = delete;
  SqliteTransaction& operator=(const SqliteTransaction&) = delete;

  void commit();

 private:
  SqliteDatabase& database_;
  bool is_open_ = true;
};

// The row of the state at one moment.
struct SqliteOutboxState {
  std::string instance;  // random; other triggers, other instance
  // Random, and other after each scan: a copy of the file from before it may have rows that were
  // deleted since, and that a filter made by the scan does not have.
  std::string epoch;
  std::int64_t last = 0;       // id of the last change
  std::int64_t confirmed = 0;  // changes up to here are gone from the outbox
  bool has_gap = false;        // it was full: changes are missing
  std::string file;            // a copy is another
  std::int64_t schema = 0;     // SQLite's own number, another one whenever any schema changes

  Identity source() const;
};

// The objects that following a column leaves in its database: three triggers, a table of changes,
// and a table with one row of state. The triggers run in the transactions of whoever writes, so the
// changes are there when the rows are, and not when they are not. They stay when a follower is
// killed, and stop adding changes when there are `byte_limit` of them.
//
// The id of a change is larger than all before, and than the time of its making: so after a copy of
// the file is restored, new changes have ids that no filter has reached yet. Part of it is random:
// so a copy that is written to has other ids than the file that it was copied from.
class SqliteOutbox {
 public:
  // Names as the schema writes them. Throws std::invalid_argument where a column cannot be
  // followed: of a view, of a virtual table, or a rowid that is no column. `needs_touched`: only
  // one that tells of every row that changed will do.
  SqliteOutbox(SqliteDatabase& database, const SqliteSelection& selection, const std::string& slot,
               bool needs_touched);

  // Drops what a slot has left, also where its table or column has another name by now, or is gone.
  // Says which other slots the table has, where there was nothing of this one.
  static std::string remove(SqliteDatabase& database, const SqliteSelection& selection,
                            const std::string& slot);

  // Makes all of it anew, empty. In a transaction that writes.
  void create(SqliteDatabase& database, std::uint64_t byte_limit) const;

  // Reads the outbox, in a transaction. Throws SourceChanged where it is not there as create() made
  // it.
  SqliteOutboxState read(SqliteDatabase& database);
  // Returns, in a transaction, whether a filter that has all up to `position` has all before it,
  // too: not if the position is of a copy that went on by itself.
  bool has_been_at(SqliteDatabase& database, const SqliteOutboxState& state,
                   std::int64_t position) const;
  // Says SourceChanged with why the changes no longer come without a gap.
  [[noreturn]] void changed(const SqliteDatabase& database, const std::string& why) const;

  const std::string& slot() const noexcept { return slot_; }
  const std::string& changes() const noexcept { return changes_; }  // quoted
  const std::string& state() const noexcept { return state_; }      // quoted

 private:
  std::string object(const char* what) const;
  using Triggers = std::vector<std::string>;
  Triggers triggers(bool tells_touched) const;
  std::string trigger(const char* what, const std::string& rest) const;
  void verify(SqliteDatabase& database) const;

  std::string file_;
  std::string table_;
  std::string column_;
  std::string slot_;
  std::string changes_;
  std::string state_;
  bool needs_touched_;
  std::int64_t verified_schema_ = -1;
};

}  // namespace bloomery
