// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/sqlite_source.h"

#include <sqlite3.h>

#include <algorithm>
#include <exception>
#include <list>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/source/column_equality.h"
#include "bloomery/source/key_batcher.h"
#include "bloomery/source/sqlite/key_scan.h"
#include "bloomery/source/sqlite/one_snapshot.h"
#include "bloomery/text/printable.h"

namespace bloomery {
namespace {

// Each has a connection of its own.
constexpr unsigned kMostScans = 16;

std::string list_of(const std::vector<std::string>& names) {
  if (names.empty()) return "none";
  constexpr std::size_t kMostNames = 50;
  std::string list;
  for (std::size_t i = 0; i < std::min(names.size(), kMostNames); ++i) {
    list += (i > 0 ? ", " : "") + printable(names[i]);
  }
  if (names.size() > kMostNames) list += ", ...";
  return list;
}

bool holds(const std::vector<std::string>& names, const std::string& name) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& other) {
    return sqlite3_stricmp(other.c_str(), name.c_str()) == 0;
  });
}

std::vector<std::string> tables_of(SqliteDatabase& database) {
  return database.texts(
      "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') "
      "AND name NOT GLOB 'sqlite_*' ORDER BY name");
}

void require_one_way(const std::string& path, const SqliteSelection& selection) {
  const auto& [table, column, query] = selection;
  for (const auto* name : {&table, &column, &query}) {
    if (name->find('\0') == std::string::npos) continue;
    throw std::invalid_argument(path + ": " + printable(*name) +
                                " holds a NUL byte, as no name and no query does");
  }
  const bool by_column = !table.empty() && !column.empty() && query.empty();
  const bool by_query = table.empty() && column.empty() && !query.empty();
  if (by_column || by_query) return;
  throw std::invalid_argument(path + ": which keys? allowed: a table and a column, or a query");
}

}  // namespace

bool has_rowids(SqliteDatabase& database, const std::string& table) {
  return !database
              .texts(
                  "SELECT 1 FROM pragma_table_list WHERE schema = 'main' AND type = 'table' "
                  "AND wr = 0 AND name = ?1 COLLATE NOCASE AND NOT EXISTS "
                  "(SELECT 1 FROM pragma_table_xinfo(?1) AS c "
                  "WHERE c.name = 'rowid' COLLATE NOCASE)",
                  table)
              .empty();
}

SqliteSource::SqliteSource(std::string path, const SqliteSelection& selection,
                           SourceOptions options)
    : database_(std::move(path), options.busy_timeout_ms), options_(std::move(options)) {
  require_one_way(database_.path(), selection);
  if (options_.field > 0) {
    throw std::invalid_argument(database_.path() +
                                ": fields are for texts; in a database, name the column");
  }
  is_utf8_ = database_.texts("PRAGMA encoding") == std::vector<std::string>{"UTF-8"};
  if (selection.query.empty()) {
    select_column(selection);
  } else {
    select_query(selection.query);
  }
}

SourceTotals SqliteSource::for_each_batch(const BatchConsumer& consumer) {
  return scan_from(std::nullopt, {}, consumer);
}

SourceTotals SqliteSource::for_each_prepared(const Preparation& preparation,
                                             const BatchConsumer& consumer) {
  // The work of the rows that one thread scans.
  const auto prepared = [&](const Batch& batch) {
    if (preparation.work) preparation.work(batch);
    return consumer(batch);
  };
  if (preparation.threads <= 1 || !is_scanned_by_rowid() || !dense_rowids()) {
    return for_each_batch(prepared);
  }
  std::list<SqliteDatabase> others = connect_others(std::min(preparation.threads, kMostScans) - 1);
  if (others.empty()) return for_each_batch(prepared);
  const OneSnapshot snapshot(database_, others);
  const auto rowids = snapshot ? dense_rowids() : std::nullopt;
  if (!rowids) return for_each_batch(prepared);

  std::list<SqliteDatabase*> connections{&database_};
  for (SqliteDatabase& each : others) connections.push_back(&each);
  const StretchScan scan{from_, key_, {options_.encoding, options_.normalise}, is_utf8_};
  const auto [totals, rest, problem] = scan.run(connections, *rowids, preparation, consumer);
  if (!problem.empty()) fail_at_row(totals, problem);
  return rest ? scan_from(rest, totals, prepared) : totals;
}

// All rows, or those of a table from a rowid on, after others that were handed over.
SourceTotals SqliteSource::scan_from(std::optional<std::int64_t> rowid, const SourceTotals& before,
                                     const BatchConsumer& consumer) {
  const BatchConsumer next = [&](Batch batch) {
    batch.first_record += before.key_count;
    batch.byte_count += before.byte_count;
    return consumer(batch);
  };
  KeyBatcher batcher(next);
  KeyScan<KeyBatcher> scan{
      .form = {options_.encoding, options_.normalise}, .is_utf8 = is_utf8_, .sink = &batcher};
  const FunctionForScan function(database_, scan);
  const auto statement = database_.prepare(
      with_ + "SELECT " + kTakeKey + "(" + key_ + ") FROM " + from_ +
      (rowid ? " NOT INDEXED WHERE rowid >= " + std::to_string(*rowid) : std::string()));
  const int code = sqlite3_step(statement.get());
  if (scan.fault) std::rethrow_exception(scan.fault);
  // An error of SQLite's own, unless we ended the scan.
  const bool complete = code == SQLITE_ROW;
  if (!complete && scan.problem.empty() && batcher.wants_more()) database_.fail(code);
  batcher.finish();
  const SourceTotals& here = batcher.totals();
  const SourceTotals totals{.key_count = before.key_count + here.key_count,
                            .null_count = before.null_count + here.null_count,
                            .byte_count = before.byte_count + here.byte_count};
  if (!scan.problem.empty()) fail_at_row(totals, scan.problem);
  return totals;
}

// Behind so many.
void SqliteSource::fail_at_row(const SourceTotals& read, const std::string& why) const {
  throw std::invalid_argument(database_.path() + ": row " +
                              std::to_string(read.key_count + read.null_count + 1) +
                              " read: " + why);
}

// None where one of them is not to be had.
std::list<SqliteDatabase> SqliteSource::connect_others(std::size_t count) const {
  constexpr std::uint32_t kNoWait = 0;
  std::list<SqliteDatabase> others;
  try {
    while (others.size() < count) {
      others.emplace_back(database_.path(), kNoWait);
    }
  } catch (const StoreError&) {
    others.clear();
  }
  return others;
}

// Returns whether a scan reads the table itself, in the order of its rowids, and no index that has
// all.
bool SqliteSource::is_scanned_by_rowid() {
  if (table_.empty() || !has_rowids(database_, table_)) return false;
  const auto plan = database_.prepare("EXPLAIN QUERY PLAN SELECT " + key_ + " FROM " + from_);
  if (!database_.step(plan)) return false;
  constexpr int kDetail = 3;
  const auto* const detail =
      reinterpret_cast<const char*>(sqlite3_column_text(plan.get(), kDetail));
  return detail != nullptr && std::string_view(detail).starts_with("SCAN ") &&
         std::string_view(detail).find(" USING ") == std::string_view::npos;
}

std::optional<std::uint64_t> SqliteSource::expected_count() {
  if (const auto rowids = dense_rowids()) return rowids->size();
  const auto statement = prepare_select("count(*)");
  database_.step(statement);
  return static_cast<std::uint64_t>(sqlite3_column_int64(statement.get(), 0));
}

// Returns the range from the first to the last rowid of many, if nearly all in it are taken.
std::optional<RowidRange> SqliteSource::dense_rowids() {
  constexpr std::uint64_t kProbes = 256;
  constexpr std::uint64_t kFewestFound = 250;
  if (table_.empty() || !has_rowids(database_, table_)) return std::nullopt;
  const auto edges = database_.prepare("SELECT (SELECT min(rowid) FROM " + from_ +
                                       "), (SELECT max(rowid) FROM " + from_ + ")");
  database_.step(edges);
  if (sqlite3_column_type(edges.get(), 0) == SQLITE_NULL) return std::nullopt;
  const auto first = static_cast<std::uint64_t>(sqlite3_column_int64(edges.get(), 0));
  const auto last = static_cast<std::uint64_t>(sqlite3_column_int64(edges.get(), 1));
  // Counting few rows costs less than looking at a sample, and is exact.
  const std::uint64_t stride = (last - first) / kProbes;
  if (stride < kProbes) return std::nullopt;

  // One probe somewhere in each of equal parts, so that no pattern of gaps meets a pattern of ours.
  const auto probe = database_.prepare("SELECT 1 FROM " + from_ + " WHERE rowid = ?1");
  std::mt19937_64 random(stride);
  std::uint64_t found = 0;
  for (std::uint64_t i = 0; i < kProbes && found + kProbes - i >= kFewestFound; ++i) {
    const std::uint64_t rowid = first + i * stride + random() % stride;
    sqlite3_bind_int64(probe.get(), 1, static_cast<sqlite3_int64>(rowid));
    found += database_.step(probe) ? 1 : 0;
    sqlite3_reset(probe.get());
  }
  if (found < kFewestFound) return std::nullopt;
  return RowidRange{static_cast<std::int64_t>(first), static_cast<std::int64_t>(last)};
}

std::string SqliteSource::equality_advice() const {
  const auto statement = prepare_select(key_);
  const char* const table = sqlite3_column_table_name(statement.get(), 0);
  const char* const column = sqlite3_column_origin_name(statement.get(), 0);
  if (table == nullptr || column == nullptr) return {};
  const char* type = nullptr;
  const char* collation = nullptr;
  if (sqlite3_table_column_metadata(database_.handle(), "main", table, column, &type, &collation,
                                    nullptr, nullptr, nullptr) != SQLITE_OK) {
    return {};
  }
  const auto text = [](const char* name) { return std::string(name == nullptr ? "" : name); };
  return unequal_bytes_advice({text(table) + "." + text(column), text(type), text(collation)},
                              {options_.encoding, options_.normalise});
}

SqliteDatabase::Statement SqliteSource::prepare_select(const std::string& expression) const {
  return database_.prepare(with_ + "SELECT " + expression + " FROM " + from_);
}

void SqliteSource::select_column(const SqliteSelection& selection) {
  table_ = selection.table;
  from_ = quote_identifier(table_);
  key_ = from_ + "." + quote_identifier(selection.column);
  try {
    prepare_select("count(" + key_ + ")");
  } catch (const std::invalid_argument&) {
    const auto tables = tables_of(database_);
    if (!holds(tables, selection.table)) {
      throw std::invalid_argument(database_.path() + ": has no table " +
                                  printable(selection.table) +
                                  "; its tables and views: " + list_of(tables));
    }
    const auto columns =
        database_.texts("SELECT name FROM pragma_table_xinfo(?1)", selection.table);
    if (!holds(columns, selection.column)) {
      throw std::invalid_argument(database_.path() + ": table " + printable(selection.table) +
                                  " has no column " + printable(selection.column) +
                                  "; its columns: " + list_of(columns));
    }
    throw;
  }
}

// The query is understood on its own before it becomes part of ours, so it cannot end it early.
void SqliteSource::select_query(std::string_view query) {
  const auto refuse = [&](const std::string& why) {
    throw std::invalid_argument(database_.path() + ": the query " + printable(query) + " " + why +
                                "; allowed: one SELECT of one column");
  };
  std::string_view rest;
  SqliteDatabase::Statement alone;
  try {
    alone = database_.prepare(query, &rest);
  } catch (const std::invalid_argument& wrong) {
    throw std::invalid_argument(std::string(wrong.what()) + " in the query " + printable(query) +
                                "; tables and views: " + list_of(tables_of(database_)));
  }
  if (!alone) refuse("is empty");
  const int column_count = sqlite3_column_count(alone.get());
  const bool selects = column_count > 0 && sqlite3_stmt_readonly(alone.get()) != 0 &&
                       sqlite3_stmt_isexplain(alone.get()) == 0;
  if (!selects) refuse("is no SELECT");
  if (column_count != 1) refuse("selects " + std::to_string(column_count) + " columns");
  if (sqlite3_bind_parameter_count(alone.get()) > 0) refuse("has parameters");
  query.remove_suffix(rest.size());
  while (!rest.empty()) {
    if (database_.prepare(rest, &rest)) refuse("is followed by another statement");
  }
  query = query.substr(0, query.find_last_not_of("; \t\r\n") + 1);

  // A name for the column, whatever the query calls it; a line end, in case of a comment there.
  from_ = "bloomery_selected_keys";
  key_ = "key";
  with_ = "WITH " + from_ + "(" + key_ + ") AS (\n" + std::string(query) + "\n) ";
  try {
    prepare_select("count(" + key_ + ")");
  } catch (const std::invalid_argument&) {
    refuse("is no SELECT");
  }
}

}  // namespace bloomery
