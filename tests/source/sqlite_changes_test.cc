// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

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

// A table that is followed, and what has come of it.
class Followed {
 public:
  Followed(const std::string& location, const ChangeOptions& options = {})
      : source(open_change_source(location, options)), fence(open_fence(location, options)) {
    EXPECT_FALSE(source->start(std::nullopt));
    source->scan([&](const Batch& batch) {
      keys.insert(batch.keys.begin(), batch.keys.end());
      return true;
    });
    catch_up();
  }
  void catch_up() {
    const Watermark now = fence->ask();
    for (int i = 0; i < 1000 && !(watermark && watermark->reaches(now)); ++i) poll();
    EXPECT_TRUE(watermark && watermark->reaches(now));
  }
  void poll() {
    source->poll(
        [&](const Changes& changes) {
          keys.insert(changes.keys.begin(), changes.keys.end());
          deleted_count += changes.deleted_count;
          if (changes.watermark) watermark = changes.watermark;
        },
        std::chrono::milliseconds(5));
  }
  bool has(const std::string& key) const { return keys.contains(key); }
  // A reader that asks now is not told "absent" by what is known up to now.
  bool is_behind() {
    try {
      return !watermark->reaches(fence->ask());
    } catch (const SourceChanged&) {
      return true;
    }
  }

  std::unique_ptr<ChangeSource> source;
  std::unique_ptr<FenceSource> fence;
  std::set<std::string> keys;
  std::uint64_t deleted_count = 0;
  std::optional<Watermark> watermark;
};

TEST_F(SqliteChangesTest, SeesRowsHoweverTheyAreWritten) {
  make(
      "PRAGMA journal_mode = wal;"
      "CREATE TABLE t(id INTEGER PRIMARY KEY, k COLLATE NOCASE UNIQUE, other);"
      "CREATE TABLE parent(k TEXT PRIMARY KEY);"
      "CREATE TABLE child(k REFERENCES parent ON UPDATE CASCADE);"
      "CREATE TABLE made(a, k GENERATED ALWAYS AS (a || '!'));"
      "CREATE TABLE pure(k TEXT PRIMARY KEY) WITHOUT ROWID;"
      "CREATE TRIGGER theirs AFTER INSERT ON t WHEN NEW.k = 'raw' BEGIN UPDATE t SET k = 'cooked' "
      "WHERE id = NEW.id; END;"
      "INSERT INTO t VALUES (1, 'a', 0), (2, 'b', 0), (3, 1, 0);"
      "INSERT INTO parent VALUES ('p'); INSERT INTO child VALUES ('p')");
  Followed t(location("t", "k"));
  Followed ids(location("t", "id"));
  Followed child(location("child", "k"));
  Followed made_column(location("made", "k"));
  Followed pure(location("pure", "k"));
  // Each was a change of the schema.
  EXPECT_TRUE(t.is_behind());
  t.source->start(std::nullopt);
  for (Followed* const each : {&t, &ids, &child, &made_column}) {
    each->source->start(std::nullopt);
    each->catch_up();
  }
  make(
      "PRAGMA foreign_keys = 1; PRAGMA recursive_triggers = 0;"
      "REPLACE INTO t VALUES (1, 'replaced', 0);"
      "INSERT INTO t VALUES (2, 'x', 0) ON CONFLICT(id) DO UPDATE SET k = 'upserted';"
      "UPDATE t SET k = 'UPSERTED' WHERE id = 2;"
      "UPDATE t SET k = 1.0 WHERE id = 3;"
      "UPDATE t SET rowid = 77 WHERE id = 3;"
      "INSERT INTO t VALUES (9, 'raw', 0);"
      "INSERT OR IGNORE INTO t VALUES (10, 'ignored or not', 0);"
      "UPDATE parent SET k = 'q'; INSERT INTO made(a) VALUES ('one'); UPDATE made SET a = 'two';"
      "INSERT INTO pure VALUES ('pure')");
  WritableDatabase elsewhere(folder_.write("other.db", ""));
  elsewhere.run("ATTACH '" + path_ + "' AS shop; INSERT INTO shop.t VALUES (20, 'attached', 0)");
  for (Followed* const each : {&t, &ids, &child, &made_column, &pure}) each->catch_up();
  for (const std::string key :
       {"replaced", "upserted", "UPSERTED", "1.0", "cooked", "ignored or not", "attached"}) {
    EXPECT_TRUE(t.has(key)) << key;
  }
  EXPECT_TRUE(ids.has("77"));
  EXPECT_TRUE(ids.has("20"));
  EXPECT_TRUE(child.has("q"));
  EXPECT_TRUE(made_column.has("one!"));
  EXPECT_TRUE(made_column.has("two!"));
  EXPECT_TRUE(pure.has("pure"));
}

TEST_F(SqliteChangesTest, WhatIsKeptForAFollowerThatIsAwayIsBounded) {
  make("CREATE TABLE t(k)");
  ChangeOptions options;
  options.backlog_byte_limit = 10'000;
  Followed t(location("t", "k"), options);
  const Watermark kept = *t.watermark;
  make(
      "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) INSERT INTO t SELECT "
      "i FROM n");
  EXPECT_TRUE(t.is_behind());
  EXPECT_THROW(t.poll(), SourceChanged);
  EXPECT_TRUE(t.is_behind());
  SqliteDatabase database(path_, 1000);
  EXPECT_LT(std::stoi(database.texts("SELECT count(*) FROM \"bloomery t.k changes\"")[0]), 200);
  EXPECT_FALSE(t.source->start(kept));
  EXPECT_TRUE(t.is_behind());
  make("INSERT INTO t VALUES ('after')");
  t.catch_up();
  EXPECT_TRUE(t.has("after"));
}

TEST_F(SqliteChangesTest, WhatIsConfirmedIsForgottenAndNobodyGoesOnFromBefore) {
  make("CREATE TABLE t(k)");
  ChangeOptions options;
  options.backlog_byte_limit = 1000;  // of which two rows are much
  Watermark before;
  {
    Followed t(location("t", "k"), options);
    before = *t.watermark;
    make("INSERT INTO t VALUES ('one'), ('two')");
    t.catch_up();
    t.source->confirm(*t.watermark);
    // A second source starts at an earlier place, as for another filter.
    const auto other = open_change_source(location("t", "k"));
    EXPECT_TRUE(other->start(before));
    t.source.reset();
    EXPECT_THROW(other->poll([](const Changes&) {}, std::chrono::milliseconds(0)), SourceChanged);
    EXPECT_FALSE(other->start(before));
    EXPECT_TRUE(other->start(t.watermark));
  }
  SqliteDatabase database(path_, 1000);
  EXPECT_EQ(database.texts("SELECT count(*) FROM \"bloomery t.k changes\""),
            std::vector<std::string>{"0"});
}

// Behind another's commit SQLite lets no transaction write that has read before.
TEST_F(SqliteChangesTest, FewChangesAreKeptSoThatTheApplicationsTransactionsAreNotRefused) {
  make("PRAGMA journal_mode = wal; CREATE TABLE t(k)");
  Followed t(location("t", "k"));
  make("INSERT INTO t VALUES ('one')");
  t.catch_up();
  WritableDatabase application(path_);
  application.run("BEGIN; SELECT count(*) FROM t");
  t.source->confirm(*t.watermark);
  t.poll();
  EXPECT_NO_THROW(application.run("INSERT INTO t VALUES ('two'); COMMIT"));
  t.catch_up();
  EXPECT_TRUE(t.has("two"));
}

TEST_F(SqliteChangesTest, WhateverIsDoneToTheTableOrItsTriggersIsNoticed) {
  for (const std::string done :
       {"DROP TRIGGER \"bloomery t.k insert\"", "DROP TABLE \"bloomery t.k changes\"",
        "DELETE FROM \"bloomery t.k state\"", "ALTER TABLE t RENAME TO old; CREATE TABLE t(k, n)",
        "ALTER TABLE t RENAME COLUMN k TO l; ALTER TABLE t ADD COLUMN k",
        "CREATE TRIGGER later AFTER INSERT ON t BEGIN SELECT RAISE(FAIL, 'no'); END",
        "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = replace(sql, 'NOT has_gap', "
        "'0')"
        " WHERE name = 'bloomery t.k update'; PRAGMA schema_version = 4711",
        "DROP TABLE t"}) {
    make("DROP TABLE IF EXISTS old; DROP TABLE IF EXISTS t; CREATE TABLE t(k, n)");
    Followed t(location("t", "k"));
    make(done);
    EXPECT_TRUE(t.is_behind()) << done;
    EXPECT_THROW(t.poll(), SourceChanged) << done;
    if (done == "DROP TABLE t") {
      EXPECT_THROW(t.source->start(t.watermark), std::invalid_argument);
      continue;
    }
    EXPECT_FALSE(t.source->start(t.watermark)) << done;
    if (done.starts_with("CREATE TRIGGER")) make("DROP TRIGGER later");
    t.source->start(std::nullopt);
    make("INSERT INTO t(k) VALUES ('again')");
    t.catch_up();
    EXPECT_TRUE(t.has("again")) << done;
    t.source->remove();
  }
}

// The database is restored by a copy in its place, and by SQLite's own way of restoring.
TEST_F(SqliteChangesTest, ARestoredDatabaseIsNotTakenForTheOneBefore) {
  for (const bool by_sqlite : {false, true}) {
    make(
        "PRAGMA journal_mode = delete; DROP TABLE IF EXISTS t; CREATE TABLE t(k); INSERT INTO t "
        "VALUES ('first')");
    Followed t(location("t", "k"));
    const std::string copy = folder_.path("copy.db");
    std::filesystem::copy_file(path_, copy, std::filesystem::copy_options::overwrite_existing);
    make("INSERT INTO t VALUES ('lost')");
    t.catch_up();
    if (by_sqlite) {
      EXPECT_EQ(std::system(("sqlite3 '" + path_ + "' '.restore " + copy + "'").c_str()), 0);
    } else {
      std::filesystem::rename(copy, path_);
    }
    make("INSERT INTO t VALUES ('new')");
    EXPECT_TRUE(t.is_behind());
    try {
      t.catch_up();
      EXPECT_TRUE(t.has("new"));
    } catch (const SourceChanged&) {
      t.source->start(t.watermark);
      t.source->scan([&](const Batch& batch) {
        t.keys.insert(batch.keys.begin(), batch.keys.end());
        return true;
      });
      t.catch_up();
      EXPECT_TRUE(t.has("new"));
    }
    t.source->remove();
  }
}

// SQLite itself goes on with the file to which the link led.
TEST_F(SqliteChangesTest, WhereALinkLeadsElsewhereItIsAnotherDatabase) {
  for (const char* mode : {"wal", "delete"}) {
    SCOPED_TRACE(mode);
    const std::string first = folder_.path("first.db");
    const std::string second = folder_.path("second.db");
    const std::string link = folder_.path("link.db");
    const auto lead_to = [&](const std::string& file) {
      std::filesystem::create_symlink(file, link + ".new");
      std::filesystem::rename(link + ".new", link);
    };
    WritableDatabase writer(first);
    writer.run(std::string("PRAGMA journal_mode = ") + mode +
               "; DROP TABLE IF EXISTS t; CREATE TABLE t(k); INSERT INTO t VALUES ('row')");
    lead_to(first);
    const std::string location = "sqlite:" + link + "?table=t&column=k";
    const auto from = open_change_source(location);
    from->start(std::nullopt);
    from->scan([](const Batch&) { return true; });
    const auto fence = open_fence(location);
    const Watermark before = fence->ask();
    std::filesystem::copy_file(first, second, std::filesystem::copy_options::overwrite_existing);
    writer.run("INSERT INTO t VALUES ('late')");
    lead_to(second);
    try {
      EXPECT_NE(fence->ask().source, before.source);
    } catch (const SourceChanged&) {
      // The copy lacks what was still in the log.
    }
    EXPECT_THROW(from->poll([](const Changes&) {}, std::chrono::milliseconds(1)), SourceChanged);
  }
}

// A filter made after rows were deleted does not have them; a copy from before does.
TEST_F(SqliteChangesTest, ACopyFromBeforeAScanIsAnotherSource) {
  make("CREATE TABLE t(k); INSERT INTO t VALUES ('deleted')");
  Followed t(location("t", "k"));
  const std::string copy = folder_.path("copy.db");
  std::filesystem::copy_file(path_, copy);
  make("DELETE FROM t");
  t.source->scan([](const Batch&) { return true; });
  t.catch_up();
  std::filesystem::rename(copy, path_);
  EXPECT_TRUE(t.is_behind());
}

// The copy has rows that the filter has not, below the position that the filter has.
TEST_F(SqliteChangesTest, ACopyThatWentOnByItselfIsNotTakenForTheOriginal) {
  for (const bool is_renamed : {false, true}) {
    make("PRAGMA journal_mode = delete; DROP TABLE IF EXISTS t; CREATE TABLE t(k)");
    Followed t(location("t", "k"));
    const std::string copy = folder_.path("copy.db");
    std::filesystem::copy_file(path_, copy, std::filesystem::copy_options::overwrite_existing);
    WritableDatabase(copy).run("INSERT INTO t VALUES ('of the copy')");
    make("INSERT INTO t VALUES ('of the original')");
    t.catch_up();
    if (is_renamed) {
      std::filesystem::rename(copy, path_);
      EXPECT_TRUE(t.is_behind()) << "before anything else is written";
      make("INSERT INTO t VALUES ('later')");
    } else {
      WritableDatabase(copy).run("INSERT INTO t VALUES ('later')");
      std::filesystem::copy_file(copy, path_, std::filesystem::copy_options::overwrite_existing);
    }
    EXPECT_THROW(t.poll(), SourceChanged);
    EXPECT_FALSE(t.source->start(t.watermark));
    EXPECT_FALSE(open_change_source(location("t", "k"))->start(t.watermark));
    t.source->remove();
  }
}

// SQLite itself takes the file for the same one where as much was written to either.
TEST_F(SqliteChangesTest, ACopyThatIsWrittenOverTheFileIsNoticedByTheFence) {
  for (const bool is_later : {false, true}) {
    make("PRAGMA journal_mode = delete; DROP TABLE IF EXISTS t; CREATE TABLE t(k)");
    Followed t(location("t", "k"));
    const std::string copy = folder_.path("copy.db");
    std::filesystem::copy_file(path_, copy, std::filesystem::copy_options::overwrite_existing);
    if (!is_later) WritableDatabase(copy).run("INSERT INTO t VALUES ('of the copy')");
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    make("INSERT INTO t VALUES ('of the original')");
    t.catch_up();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    if (is_later) WritableDatabase(copy).run("INSERT INTO t VALUES ('of the copy')");
    std::filesystem::copy_file(copy, path_, std::filesystem::copy_options::overwrite_existing);
    const Watermark now = t.fence->ask();
    EXPECT_EQ(now.source, t.watermark->source);
    // A filter that is ahead of its database is believed as little as one that is behind.
    EXPECT_EQ(now.position > t.watermark->position, is_later);
    EXPECT_NE(now.position, t.watermark->position);
    EXPECT_THROW(t.poll(), SourceChanged);
    EXPECT_FALSE(t.source->start(t.watermark));
    t.source->remove();
  }
}

TEST_F(SqliteChangesTest, ALockedDatabaseIsNoAnswer) {
  make("PRAGMA journal_mode = delete; CREATE TABLE t(k)");
  Followed t(location("t", "k"));
  WritableDatabase other(path_);
  other.run("BEGIN EXCLUSIVE; INSERT INTO t VALUES ('later')");
  EXPECT_THROW(t.fence->ask(CallContext::within(std::chrono::milliseconds(10))), StoreError);
  EXPECT_THROW(t.source->poll([](const Changes&) {}, std::chrono::milliseconds(0),
                              CallContext::within(std::chrono::milliseconds(10))),
               StoreError);
  other.run("COMMIT");
  EXPECT_TRUE(t.is_behind());
  t.catch_up();
  EXPECT_TRUE(t.has("later"));
}

TEST_F(SqliteChangesTest, ASlotFollowsOneColumn) {
  make("CREATE TABLE t(k, l)");
  ChangeOptions options;
  options.slot = "ours";
  Followed t(location("t", "k"), options);
  EXPECT_THROW(open_change_source(location("t", "l"), options)->start(std::nullopt),
               std::invalid_argument);
  EXPECT_THROW(open_fence(location("t", "l"), options)->ask(), SourceChanged);
  EXPECT_THROW(open_fence(location("t", "l"))->ask(), SourceChanged);
  // Names in other letters are the same to SQLite.
  EXPECT_EQ(open_fence(location("T", "K"), options)->ask(), t.fence->ask());
}

TEST_F(SqliteChangesTest, KeysAreWrittenAsTheScanWritesThem) {
  make("PRAGMA encoding = 'UTF-16'; CREATE TABLE t(k)");
  ChangeOptions options;
  options.keys.encoding = KeyEncoding::u64;
  Followed numbers(location("t", "k"), options);
  options.keys = {};
  options.slot = "texts";
  Followed texts(location("t", "k"), options);
  numbers.source->start(std::nullopt);
  numbers.catch_up();
  make("INSERT INTO t VALUES (258), ('7')");
  numbers.catch_up();
  texts.catch_up();
  EXPECT_EQ(numbers.keys, (std::set<std::string>{std::string("\2\1\0\0\0\0\0\0", 8),
                                                 std::string("\7\0\0\0\0\0\0\0", 8)}));
  EXPECT_EQ(texts.keys, (std::set<std::string>{"258", "7"}));
  make("INSERT INTO t VALUES ('no number')");
  EXPECT_THROW(numbers.poll(), std::invalid_argument);
}

}  // namespace
}  // namespace bloomery
