// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/sqlite/one_snapshot.h"

#include <sqlite3.h>

#include <algorithm>
#include <exception>
#include <string>
#include <vector>

namespace bloomery {
namespace {

// The database's version: it changes when another connection commits.
std::vector<std::string> version_of(SqliteDatabase& database) {
  return database.texts("PRAGMA data_version");
}

// The first read decides what a transaction sees.
void begin_reading(SqliteDatabase& database) {
  database.run("BEGIN");
  database.texts("SELECT 1 FROM sqlite_schema LIMIT 1");
}

void end_reading(SqliteDatabase& database) noexcept {
  if (sqlite3_get_autocommit(database.handle()) != 0) return;
  sqlite3_exec(database.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

}  // namespace

OneSnapshot::OneSnapshot(SqliteDatabase& first, std::list<SqliteDatabase>& others)
    : first_(first), others_(others) {
  const bool is_one_file = std::ranges::all_of(others, [&](const SqliteDatabase& each) {
    return each.file_identity() == first.file_identity();
  });
  if (!is_one_file || first.has_moved()) return;
  constexpr int kMostTrials = 3;
  try {
    for (int trial = 0; !holds_ && trial < kMostTrials; ++trial) {
      end();
      holds_ = begin();
    }
  } catch (const std::exception&) {
    // A writer waits for the readers to end, say: nobody may wait for it here.
  }
  if (!holds_) end();
}

OneSnapshot::~OneSnapshot() {
  end();
}

// The first begins to read between two looks of each other connection, which saw no commit between
// them: so what they see is what the first sees.
bool OneSnapshot::begin() {
  std::vector<std::vector<std::string>> before;
  for (SqliteDatabase& each : others_) before.push_back(version_of(each));
  begin_reading(first_);
  std::size_t same = 0;
  for (SqliteDatabase& each : others_) {
    begin_reading(each);
    if (version_of(each) != before[same]) return false;
    ++same;
  }
  return true;
}

void OneSnapshot::end() noexcept {
  end_reading(first_);
  for (SqliteDatabase& each : others_) end_reading(each);
}

}  // namespace bloomery
