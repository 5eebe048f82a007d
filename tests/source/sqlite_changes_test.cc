#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bloomery/errors.h"
#include "change_source_contract.h"
#include "sqlite_fixture.h"

namespace bloomery {
namespace {

class SqliteSession final : public SqlSession {
 public:
  explicit SqliteSession(const std::string& path) : database_(path) {
    database_.run("PRAGMA busy_timeout = 10000; PRAGMA synchronous = OFF");
  }
  void run(const std::string& sql) override { database_.run(sql); }

 private:
  WritableDatabase database_;
};

class SqliteChangesTest : public SqliteTest {
 protected:
  DatabaseUnderTest database(const std::string& mode) {
    make("PRAGMA journal_mode = " + mode + "; CREATE TABLE kept(x)");
    return {.name = "SQLite, " + mode,
            .connect = [this] { return std::make_unique<SqliteSession>(path_); },
            .location = [this](const std::string& table,
                               const std::string& column) { return location(table, column); },
            .leftovers =
                [this] {
                  return SqliteDatabase(path_, 1000)
                      .texts("SELECT name FROM sqlite_schema WHERE name GLOB 'bloom*'");
                },
            .options = {}};
  }
  std::string location(const std::string& table, const std::string& column) const {
    return "sqlite:" + path_ + "?table=" + table + "&column=" + column;
  }
};

TEST_F(SqliteChangesTest, KeepsTheContractInWriteAheadMode) {
  ChangeSourceContract(database("wal")).check_all();
}

TEST_F(SqliteChangesTest, KeepsTheContractWithARollbackJournal) {
  ChangeSourceContract(database("delete")).check_all();
}

}  // namespace
}  // namespace bloomery
