// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bloomery/hash/key.h"
#include "bloomery/source/sqlite_database.h"
#include "cli/demo/database_table.h"

namespace bloomery::cli {

// KeyTypes says as what SQLite stores the keys of a column, NULLs aside. A key is the bytes that
// the value would be printed as (SqliteSource), and a query must turn it into the value again.
struct KeyTypes {
  bool integer = false;
  bool text = false;
  bool blob = false;

  bool only_integers() const noexcept { return integer && !text && !blob; }
};

// Reads the column once. Throws std::invalid_argument for a column with REAL values, whose digits
// do not always name them.
KeyTypes key_types_of(const DatabaseTable& table);

// One connection, and one prepared query for a row by its key. One thread at a time. Throws as
// SqliteDatabase does.
class RowLookup {
 public:
  RowLookup(const DatabaseTable& table, KeyTypes types);

  // The row's value as text, or nullopt where there is no such row.
  std::optional<std::string> find(Key key);

  // Returns whether SQLite reads the whole table for every query, as it does without an index.
  bool scans_table();

 private:
  void bind(Key key);

  SqliteDatabase database_;
  KeyTypes types_;
  std::string sql_;
  SqliteDatabase::Statement query_;
};

// The database as the guard's loader: one connection a thread, opened here for `thread_count` of
// them. All calls may run together.
class RowLoader {
 public:
  RowLoader(const DatabaseTable& table, KeyTypes types, std::size_t thread_count);

  std::vector<std::optional<std::string>> load(std::span<const Key> keys);

 private:
  std::unique_ptr<RowLookup> take();

  std::mutex mutex_;
  std::vector<std::unique_ptr<RowLookup>> idle_;
  DatabaseTable table_;
  KeyTypes types_;
};

}  // namespace bloomery::cli
