#include "bloomery/source/sqlite_source.h"

#include <sqlite3.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <exception>
#include <limits>
#include <new>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bloomery/source/column_equality.h"
#include "bloomery/source/key_batcher.h"
#include "bloomery/source/printable.h"
#include "bloomery/source/sqlite/sqlite_key.h"

namespace bloomery {
namespace {

constexpr const char* kFunction = "bloomery_take_key";

// Copies the few bytes that most keys have without a call.
[[gnu::always_inline]] inline void copy_key(char* out, const char* bytes, std::size_t byte_count) {
  if (byte_count < sizeof(std::uint64_t) || byte_count > 2 * sizeof(std::uint64_t)) {
    std::memcpy(out, bytes, byte_count);
    return;
  }
  // Two halves that overlap.
  const std::size_t second = byte_count - sizeof(std::uint64_t);
  std::uint64_t halves[2];
  std::memcpy(&halves[0], bytes, sizeof halves[0]);
  std::memcpy(&halves[1], bytes + second, sizeof halves[1]);
  std::memcpy(out, &halves[0], sizeof halves[0]);
  std::memcpy(out + second, &halves[1], sizeof halves[1]);
}

// What SQLite's scan calls for every row. The cost of a row is SQLite's; what we add to it is a
// quarter, so the common case stands first and calls little.
struct Scan {
  KeyForm form;
  bool is_utf8;  // the database's text needs no conversion
  SqliteKeyWriter writer;
  KeyBatcher batcher;
  std::string problem;       // why a row spells no key
  std::exception_ptr fault;  // what the consumer threw

  Scan(const KeyForm& keys, bool utf8, const BatchConsumer& consumer)
      : form(keys), is_utf8(utf8), writer(keys, utf8), batcher(consumer) {}

  // False: no more rows, please.
  [[gnu::always_inline]] bool take(sqlite3_value* value) {
    const int type = sqlite3_value_type(value);
    if (form == KeyForm{}) {
      if (type == SQLITE_INTEGER) return take_digits(sqlite3_value_int64(value));
      if (type == SQLITE_TEXT && is_utf8) return take_stored(value);
    }
    return take_other(value, type);
  }

 private:
  // As a blob, text comes without the copy that ends it in NUL; but unconverted.
  [[gnu::always_inline]] bool take_stored(sqlite3_value* value) {
    const void* const bytes = sqlite3_value_blob(value);
    const auto byte_count = static_cast<std::size_t>(sqlite3_value_bytes(value));
    char* const out = batcher.room(byte_count);
    if (out == nullptr) return false;
    if (byte_count > 0) copy_key(out, static_cast<const char*>(bytes), byte_count);
    batcher.keep(byte_count);
    return true;
  }

  [[gnu::always_inline]] bool take_digits(sqlite3_int64 integer) {
    char* const out = batcher.room(kMostDigits);
    if (out == nullptr) return false;
    // Most identifiers fit 32 bits, where the divisions cost half.
    const auto narrow = static_cast<std::uint32_t>(integer);
    const auto end = narrow == integer ? std::to_chars(out, out + kMostDigits, narrow).ptr
                                       : std::to_chars(out, out + kMostDigits, integer).ptr;
    batcher.keep(static_cast<std::size_t>(end - out));
    return true;
  }

  [[gnu::noinline]] bool take_other(sqlite3_value* value, int type) {
    if (type == SQLITE_NULL) {
      batcher.skip_null();
      return true;
    }
    if (type == SQLITE_BLOB && form == KeyForm{}) return take_stored(value);
    if (writer.write(value, type, batcher)) return true;
    if (!writer.problem().empty()) {
      problem = "row " + std::to_string(batcher.row_count() + 1) + " read: " + writer.problem();
    }
    return false;
  }

  static constexpr std::size_t kMostDigits = 20;
};

// SQLite is C: no exception may pass through it. The scan ends at the first error.
void take_row(sqlite3_context* context, int, sqlite3_value** values) noexcept {
  auto& scan = *static_cast<Scan*>(sqlite3_user_data(context));
  try {
    if (scan.take(values[0])) return;
  } catch (...) {
    scan.fault = std::current_exception();
  }
  sqlite3_result_error(context, "ended by the reader of the keys", -1);
}

void end_rows(sqlite3_context* context) noexcept {
  sqlite3_result_null(context);
}

void register_function(const SqliteDatabase& database, Scan* scan) {
  const int code =
      sqlite3_create_function_v2(database.handle(), kFunction, 1, SQLITE_UTF8 | SQLITE_DIRECTONLY,
                                 scan, nullptr, take_row, end_rows, nullptr);
  if (code != SQLITE_OK) database.fail(code);
}

// The function is there while there is a scan to call.
class FunctionForScan {
 public:
  FunctionForScan(const SqliteDatabase& database, Scan& scan) : database_(database) {
    register_function(database, &scan);
  }
  ~FunctionForScan() {
    sqlite3_create_function_v2(database_.handle(), kFunction, 1, SQLITE_UTF8, nullptr, nullptr,
                               nullptr, nullptr, nullptr);
  }
  FunctionForScan(const FunctionForScan&) = delete;
  FunctionForScan& operator=(const FunctionForScan&) = delete;

 private:
  const SqliteDatabase& database_;
};

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
  if (options_.map_database) {
    database_.texts("PRAGMA mmap_size=" + std::to_string(std::numeric_limits<std::int64_t>::max()));
  }
  is_utf8_ = database_.texts("PRAGMA encoding") == std::vector<std::string>{"UTF-8"};
  if (selection.query.empty()) {
    select_column(selection);
  } else {
    select_query(selection.query);
  }
}

SourceTotals SqliteSource::for_each_batch(const BatchConsumer& consumer) {
  Scan scan({options_.encoding, options_.normalise}, is_utf8_, consumer);
  const FunctionForScan function(database_, scan);
  const auto statement = prepare_select(std::string(kFunction) + "(" + key_ + ")");
  const int code = sqlite3_step(statement.get());
  if (scan.fault) std::rethrow_exception(scan.fault);
  // An error of SQLite's own, unless we ended the scan.
  const bool complete = code == SQLITE_ROW;
  if (!complete && scan.problem.empty() && scan.batcher.wants_more()) database_.fail(code);
  scan.batcher.finish();
  if (!scan.problem.empty()) {
    throw std::invalid_argument(database_.path() + ": " + scan.problem);
  }
  return scan.batcher.totals();
}

std::optional<std::uint64_t> SqliteSource::expected_count() {
  if (const auto range = dense_rowid_range()) return range;
  const auto statement = prepare_select("count(*)");
  database_.step(statement);
  return static_cast<std::uint64_t>(sqlite3_column_int64(statement.get(), 0));
}

// How many rowids there can be between the first and the last, if nearly all of them are taken.
std::optional<std::uint64_t> SqliteSource::dense_rowid_range() {
  constexpr std::uint64_t kProbes = 256;
  constexpr std::uint64_t kFewestFound = 250;
  if (table_.empty() || !has_rowids(database_, table_)) return std::nullopt;
  const auto edges = database_.prepare("SELECT (SELECT min(rowid) FROM " + from_ +
                                       "), (SELECT max(rowid) FROM " + from_ + ")");
  database_.step(edges);
  if (sqlite3_column_type(edges.get(), 0) == SQLITE_NULL) return 0;
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
  return last - first + 1;
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
