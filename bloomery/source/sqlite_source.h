// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <string_view>

#include "bloomery/source/key_source.h"
#include "bloomery/source/source_options.h"
#include "bloomery/source/sqlite/stretch_scan.h"
#include "bloomery/source/sqlite_database.h"

namespace bloomery {

// The keys of a database: a column of a table or view, or what a query selects.
struct SqliteSelection {
  std::string table;  // with column; any names, quoted here
  std::string column;
  std::string query;  // one SELECT of one column; a semicolon after it is fine
};

// Keys out of an SQLite database, which is only read. A key is what the column would be if it were
// printed, one row a line: the bytes of TEXT (as UTF-8) and of BLOBs, the decimal digits of an
// INTEGER, SQLite's own rendering of a REAL. KeyEncoding then says what those spell, so a table and
// a text of it give the same keys; an integer under u64 or i64 skips the digits. NULLs are no keys:
// skipped and counted.
//
// Rows come in the order of SQLite's own scan, not through a call a row: an aggregate function of
// ours is what the scan calls, so the cost is the scan's.
class SqliteSource final : public KeySource {
 public:
  // Opens the database and prepares the selection. Throws StoreError, FormatError (SqliteDatabase)
  // and std::invalid_argument, with the names that do exist, where the table or column does not.
  SqliteSource(std::string path, const SqliteSelection& selection, SourceOptions options);

  SourceTotals for_each_batch(const BatchConsumer& consumer) override;
  // The threads scan large tables whose rowids hardly have gaps, each through a connection of its
  // own, unless an index has all that is selected. The order is the same.
  SourceTotals for_each_prepared(const Preparation& preparation,
                                 const BatchConsumer& consumer) override;

  // Returns never fewer than the rows, NULLs among them. For a table whose rowids hardly have gaps
  // it is the range of the rowids: 256 of them are looked up to see that, whatever the size of the
  // table. For other tables SQLite counts, through the smallest index that has all rows: a tenth to
  // a half of a scan. A query may cost as much as it does to run.
  std::optional<std::uint64_t> expected_count() override;

  std::optional<std::uint64_t> expected_byte_count() override { return std::nullopt; }

  // Returns a sentence if the column that the keys come from calls equal what these keys' bytes
  // tell apart. Says nothing of keys that a query computes.
  std::string equality_advice() const override;

 private:
  // Prepares SELECT expression over the selected rows, where key_ is the key.
  SqliteDatabase::Statement prepare_select(const std::string& expression) const;
  SourceTotals scan_from(std::optional<std::int64_t> rowid, const SourceTotals& before,
                         const BatchConsumer& consumer);
  [[noreturn]] void fail_at_row(const SourceTotals& read, const std::string& why) const;
  std::list<SqliteDatabase> connect_others(std::size_t count) const;
  bool is_scanned_by_rowid();
  std::optional<RowidRange> dense_rowids();
  void select_column(const SqliteSelection& selection);
  void select_query(std::string_view query);

  mutable SqliteDatabase database_;
  SourceOptions options_;
  bool is_utf8_ = true;
  std::string table_;  // empty for a query
  std::string with_;   // what defines the rows, for a query
  std::string from_;
  std::string key_;
};

// Returns whether "rowid" is the integer that the rows of a table are sorted by. Not so in views,
// virtual tables and tables WITHOUT ROWID, nor where a column took the name.
bool has_rowids(SqliteDatabase& database, const std::string& table);

}  // namespace bloomery
