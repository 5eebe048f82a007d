// SPDX-License-Identifier: Apache-2.0
#include "cli/demo/row_lookup.h"

#include <sqlite3.h>

#include <charconv>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace bloomery::cli {
namespace {

// The integer that is printed as exactly these bytes.
std::optional<std::int64_t> integer_of(Key key) {
  std::int64_t integer = 0;
  const auto [rest, error] = std::from_chars(key.data(), key.data() + key.size(), integer);
  if (error != std::errc() || rest != key.data() + key.size()) return std::nullopt;
  if (std::to_string(integer) != key) return std::nullopt;
  return integer;
}

// A parameter for each type that occurs: each costs one search of the index.
std::string select_row(const DatabaseTable& table, KeyTypes types) {
  std::string parameters;
  for (const auto& [occurs, parameter] :
       {std::pair(types.integer, "?1"), {types.text, "?2"}, {types.blob, "?3"}}) {
    if (occurs) parameters += (parameters.empty() ? "" : ", ") + std::string(parameter);
  }
  return "SELECT " + quote_identifier(table.value_column) + " FROM " +
         quote_identifier(table.table) + " WHERE " + quote_identifier(table.column) + " IN (" +
         parameters + ") LIMIT 1";
}

}  // namespace

KeyTypes key_types_of(const DatabaseTable& table) {
  SqliteDatabase database(table.path, table.busy_timeout_ms);
  const std::string column = quote_identifier(table.column);
  KeyTypes types;
  for (const std::string& name :
       database.texts("SELECT DISTINCT typeof(" + column + ") FROM " +
                      quote_identifier(table.table) + " WHERE " + column + " IS NOT NULL")) {
    if (name == "real") {
      throw std::invalid_argument(table.path + ": column " + column +
                                  " holds REAL values, which are no keys to look rows up by; "
                                  "allowed: INTEGER, TEXT and BLOB");
    }
    types.integer |= name == "integer";
    types.text |= name == "text";
    types.blob |= name == "blob";
  }
  return types;
}

RowLookup::RowLookup(const DatabaseTable& table, KeyTypes types)
    : database_(table.path, table.busy_timeout_ms),
      types_(types),
      sql_(select_row(table, types)),
      query_(database_.prepare(sql_)) {}

std::optional<std::string> RowLookup::find(Key key) {
  bind(key);
  std::optional<std::string> value;
  try {
    if (database_.step(query_)) {
      const auto* const bytes = static_cast<const char*>(sqlite3_column_blob(query_.get(), 0));
      const int length = sqlite3_column_bytes(query_.get(), 0);
      value = length > 0 ? std::string(bytes, static_cast<std::size_t>(length)) : std::string();
    }
  } catch (...) {
    sqlite3_reset(query_.get());
    throw;
  }
  sqlite3_reset(query_.get());
  return value;
}

bool RowLookup::scans_table() {
  const auto plan = database_.prepare("EXPLAIN QUERY PLAN " + sql_);
  constexpr int kDetail = 3;
  while (database_.step(plan)) {
    const auto* const text =
        reinterpret_cast<const char*>(sqlite3_column_text(plan.get(), kDetail));
    if (text != nullptr && std::string_view(text).starts_with("SCAN")) return true;
  }
  return false;
}

// The key outlives the query, so nothing is copied.
void RowLookup::bind(Key key) {
  sqlite3_stmt* const query = query_.get();
  if (types_.integer) {
    const auto integer = integer_of(key);
    const int code = integer ? sqlite3_bind_int64(query, 1, *integer) : sqlite3_bind_null(query, 1);
    if (code != SQLITE_OK) database_.fail(code);
  }
  if (types_.text) {
    const int code =
        sqlite3_bind_text64(query, 2, key.data(), key.size(), SQLITE_STATIC, SQLITE_UTF8);
    if (code != SQLITE_OK) database_.fail(code);
  }
  if (types_.blob) {
    const int code = sqlite3_bind_blob64(query, 3, key.data(), key.size(), SQLITE_STATIC);
    if (code != SQLITE_OK) database_.fail(code);
  }
}

RowLoader::RowLoader(const DatabaseTable& table, KeyTypes types, std::size_t thread_count)
    : table_(table), types_(types) {
  for (std::size_t i = 0; i < thread_count; ++i) {
    idle_.push_back(std::make_unique<RowLookup>(table_, types_));
  }
}

std::vector<std::optional<std::string>> RowLoader::load(std::span<const Key> keys) {
  auto lookup = take();
  std::vector<std::optional<std::string>> rows;
  rows.reserve(keys.size());
  for (const Key key : keys) rows.push_back(lookup->find(key));
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(lookup));
  return rows;
}

// A connection that failed is not given back: the next query has a new one.
std::unique_ptr<RowLookup> RowLoader::take() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      auto lookup = std::move(idle_.back());
      idle_.pop_back();
      return lookup;
    }
  }
  return std::make_unique<RowLookup>(table_, types_);
}

}  // namespace bloomery::cli
