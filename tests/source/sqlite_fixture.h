// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>

#include <string>
#include <utility>

#include "bloomery/source/sqlite_source.h"
#include "source_helpers.h"
#include "temporary_folder.h"

namespace bloomery {

// A connection that may write, to make what the tests read.
class WritableDatabase {
 public:
  explicit WritableDatabase(const std::string& path) {
    EXPECT_EQ(sqlite3_open(path.c_str(), &connection_), SQLITE_OK);
  }
  ~WritableDatabase() { sqlite3_close(connection_); }
  WritableDatabase(const WritableDatabase&) = delete;
  WritableDatabase& operator=(const WritableDatabase&) = delete;

  void run(const std::string& sql) {
    EXPECT_EQ(sqlite3_exec(connection_, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sql << ": " << sqlite3_errmsg(connection_);
  }
  void switch_triggers_off() {
    EXPECT_EQ(sqlite3_db_config(connection_, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr),
              SQLITE_OK);
  }

 private:
  sqlite3* connection_ = nullptr;
};

class SqliteTest : public testing::Test {
 protected:
  void make(const std::string& sql) { WritableDatabase(path_).run(sql); }

  SqliteSource open(const SqliteSelection& selection, SourceOptions options = {}) {
    return {path_, selection, std::move(options)};
  }
  SqliteSource column(const std::string& table, const std::string& column,
                      SourceOptions options = {}) {
    return open({.table = table, .column = column, .query = {}}, std::move(options));
  }
  SqliteSource query(const std::string& sql, SourceOptions options = {}) {
    return open({.table = {}, .column = {}, .query = sql}, std::move(options));
  }

  TemporaryFolder folder_;
  std::string path_ = folder_.path("shop.db");
};

}  // namespace bloomery
