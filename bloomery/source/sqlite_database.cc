// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/sqlite_database.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <limits>
#include <new>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "bloomery/errors.h"
#include "bloomery/source/sql_quotes.h"

namespace bloomery {
namespace {

// Refuses what is no regular file: SQLite would say less about it than the system does, and a FIFO
// would block it.
void require_regular_file(const std::string& path) {
  struct stat status {};
  int error = stat(path.c_str(), &status) != 0 ? errno : 0;
  if (error == 0 && S_ISDIR(status.st_mode)) error = EISDIR;
  if (error != 0) {
    throw StoreError(path + ": cannot be opened as an SQLite database: " +
                     std::generic_category().message(error));
  }
  if (!S_ISREG(status.st_mode)) {
    throw StoreError(path + ": is no regular file, so it is no SQLite database");
  }
}

std::string seconds(std::uint32_t milliseconds) {
  std::string text(32, '\0');
  const int length = std::snprintf(text.data(), text.size(), "%.3g s", milliseconds / 1000.0);
  text.resize(static_cast<std::size_t>(length));
  return text;
}

}  // namespace

void SqliteDatabase::Finalize::operator()(sqlite3_stmt* statement) const noexcept {
  sqlite3_finalize(statement);
}

void SqliteDatabase::Close::operator()(sqlite3* connection) const noexcept {
  sqlite3_close(connection);
}

SqliteDatabase::SqliteDatabase(std::string path, std::uint32_t busy_timeout_ms, bool writes)
    : path_(std::move(path)), busy_timeout_ms_(busy_timeout_ms) {
  require_regular_file(path_);
  opened_ = file_at(path_);
  // Some names mean something else to SQLite (":memory:"), but none that has a folder.
  const std::string name = path_.starts_with('/') ? path_ : "./" + path_;
  sqlite3* opened = nullptr;
  const int access = writes ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
  const int code = sqlite3_open_v2(name.c_str(), &opened, access | SQLITE_OPEN_NOMUTEX, nullptr);
  connection_.reset(opened);
  if (opened == nullptr) throw std::bad_alloc();
  if (code != SQLITE_OK) fail(code);

  wait_for_locks(busy_timeout_ms);
  sqlite3_extended_result_codes(opened, 1);
  // A misspelt "column" must not become the string 'column', the same key for every row; and the
  // schema of a stranger's file may not call functions that were not made for that.
  sqlite3_db_config(opened, SQLITE_DBCONFIG_DQS_DML, 0, nullptr);
  sqlite3_db_config(opened, SQLITE_DBCONFIG_DQS_DDL, 0, nullptr);
  sqlite3_db_config(opened, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  // The first statement reads the header: what is no database fails here.
  texts("SELECT name FROM sqlite_schema LIMIT 1");
  if (has_moved()) throw StoreError(path_ + ": another file took its place just now");
}

SqliteDatabase::Statement SqliteDatabase::prepare(std::string_view sql, std::string_view* rest) {
  if (sql.size() > std::numeric_limits<int>::max()) fail(SQLITE_TOOBIG);
  sqlite3_stmt* prepared = nullptr;
  const char* tail = nullptr;
  const int code =
      sqlite3_prepare_v2(handle(), sql.data(), static_cast<int>(sql.size()), &prepared, &tail);
  Statement statement(prepared);
  if (code != SQLITE_OK) fail(code);
  if (rest != nullptr) *rest = sql.substr(static_cast<std::size_t>(tail - sql.data()));
  return statement;
}

bool SqliteDatabase::step(const Statement& statement) {
  const int code = sqlite3_step(statement.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  fail(code);
}

std::vector<std::string> SqliteDatabase::texts(std::string_view sql, std::string_view parameter) {
  const Statement statement = prepare(sql);
  if (sqlite3_bind_parameter_count(statement.get()) > 0) {
    sqlite3_bind_text64(statement.get(), 1, parameter.data(), parameter.size(), SQLITE_TRANSIENT,
                        SQLITE_UTF8);
  }
  std::vector<std::string> found;
  while (step(statement)) {
    const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement.get(), 0));
    const int length = sqlite3_column_bytes(statement.get(), 0);
    if (text == nullptr) continue;
    found.emplace_back(text, static_cast<std::size_t>(length));
  }
  return found;
}

void SqliteDatabase::wait_for_locks(std::uint32_t busy_timeout_ms) {
  constexpr std::uint32_t kMostMs = std::numeric_limits<int>::max();
  busy_timeout_ms_ = busy_timeout_ms;
  sqlite3_busy_timeout(handle(), static_cast<int>(std::min(busy_timeout_ms, kMostMs)));
}

bool SqliteDatabase::has_moved() const {
  int moved = 0;
  const int code = sqlite3_file_control(handle(), "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  if (code != SQLITE_OK || moved != 0) return true;
  // SQLite looks where the links led when it was opened, and not at the device.
  try {
    return file_at(path_) != opened_;
  } catch (const StoreError&) {
    return true;
  }
}

SqliteDatabase::FileName SqliteDatabase::file_at(const std::string& path) {
  struct statx status {};
  if (statx(AT_FDCWD, path.c_str(), 0, STATX_INO | STATX_BTIME, &status) != 0) {
    throw StoreError(path + ": " + std::generic_category().message(errno));
  }
  std::string identity = std::to_string(status.stx_ino);
  if ((status.stx_mask & STATX_BTIME) != 0) {
    identity += "." + std::to_string(status.stx_btime.tv_sec) + "." +
                std::to_string(status.stx_btime.tv_nsec);
  }
  return {status.stx_dev_major, status.stx_dev_minor, std::move(identity)};
}

SqliteDatabase::FileStamp SqliteDatabase::file_stamp() const {
  struct statx status {};
  if (statx(AT_FDCWD, path_.c_str(), 0, STATX_CTIME | STATX_SIZE, &status) != 0) {
    throw StoreError(path_ + ": " + std::generic_category().message(errno));
  }
  return {.seconds = status.stx_ctime.tv_sec,
          .nanoseconds = status.stx_ctime.tv_nsec,
          .byte_count = status.stx_size};
}

void SqliteDatabase::fail(int code) const {
  const std::string where = path_ + ": ";
  const std::string message = sqlite3_errmsg(handle());
  switch (code & 0xff) {
    case SQLITE_NOMEM:
      throw std::bad_alloc();
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      throw StoreError(where + "is locked by another process, and still was after " +
                       seconds(busy_timeout_ms_));
    case SQLITE_NOTADB:
      throw FormatError(where + "is no SQLite database");
    case SQLITE_CORRUPT:
    case SQLITE_FORMAT:
      throw FormatError(where + "is a damaged SQLite database (" + message + ")");
    case SQLITE_ERROR:
    case SQLITE_AUTH:
    case SQLITE_RANGE:
    case SQLITE_MISMATCH:
    case SQLITE_TOOBIG:
      throw std::invalid_argument(where + message);
    default:
      throw StoreError(where + "cannot be used: " + message);
  }
}

std::string quote_identifier(std::string_view name) {
  return in_sql_quotes(name, '"');
}

}  // namespace bloomery
