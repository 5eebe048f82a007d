// SPDX-License-Identifier: Apache-2.0
// Large tables, which several threads scan: all is as by one.
#include <sys/resource.h>
#include <unistd.h>

#include <list>
#include <stdexcept>
#include <string>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/source/in_order.h"
#include "bloomery/source/sqlite/one_snapshot.h"
#include "sqlite_fixture.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;

struct Stretches : SqliteTest {
  struct Read {
    std::vector<std::string> keys;
    SourceTotals totals;
    bool used_slots = false;
  };

  // Makes a table of 100,000 rows, of which some are missing, and some have no name.
  void make_items(const std::string& more = {}) {
    make(
        "CREATE TABLE items(id INTEGER PRIMARY KEY, name TEXT);"
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c WHERE x<100000)"
        "INSERT INTO items SELECT x-7, iif(x%300=0, NULL, 'name ' || x) FROM c;"
        "DELETE FROM items WHERE id%1000=5;" +
        more);
  }

  // Reads all, and tests what a batch says of itself, and that each was prepared.
  static Read read(SqliteSource& source, unsigned threads) {
    Read all;
    std::vector<std::string> prepared(slot_count(threads));
    const auto last_of = [](const Batch& batch) { return std::string(batch.keys.back()); };
    Preparation preparation{threads,
                            [&](const Batch& batch) { prepared.at(batch.slot) = last_of(batch); }};
    std::uint64_t byte_count = 0;
    all.totals = source.for_each_prepared(preparation, [&](const Batch& batch) {
      EXPECT_EQ(prepared.at(batch.slot), last_of(batch));
      EXPECT_EQ(batch.first_record, all.keys.size() + 1);
      for (const Key key : batch.keys) byte_count += key.size();
      EXPECT_EQ(batch.byte_count, byte_count);
      all.keys.insert(all.keys.end(), batch.keys.begin(), batch.keys.end());
      all.used_slots |= batch.slot > 0;
      return true;
    });
    EXPECT_EQ(all.totals.key_count, all.keys.size());
    EXPECT_EQ(all.totals.byte_count, byte_count);
    return all;
  }
  Read names(unsigned threads) {
    auto source = column("items", "name");
    return read(source, threads);
  }
};

TEST_F(Stretches, GiveTheKeysInTheOrderOfOneThread) {
  make_items();
  const Read one = names(1);
  EXPECT_FALSE(one.used_slots);
  for (const unsigned threads : {2U, 5U}) {
    const Read several = names(threads);
    EXPECT_TRUE(several.used_slots);
    EXPECT_TRUE(several.keys == one.keys);
    EXPECT_EQ(several.totals.null_count, one.totals.null_count);
  }
}

// The index is what one thread reads, in its order.
TEST_F(Stretches, AreNotReadWhereAnIndexHasAll) {
  make_items("ALTER TABLE items ADD COLUMN other TEXT; CREATE INDEX by_name ON items(name)");
  const Read several = names(3);
  EXPECT_FALSE(several.used_slots);
  EXPECT_TRUE(several.keys == names(1).keys);
}

TEST_F(Stretches, LeaveLongKeysToOneThread) {
  make_items("UPDATE items SET name = name || zeroblob(300) WHERE id BETWEEN 30000 AND 40000");
  const Read one = names(1);
  const Read several = names(3);
  EXPECT_TRUE(several.used_slots) << "up to there";
  EXPECT_TRUE(several.keys == one.keys);
  EXPECT_EQ(several.totals.null_count, one.totals.null_count);
}

TEST_F(Stretches, SayWhichRowSpellsNoKey) {
  make_items("UPDATE items SET name = id; UPDATE items SET name = 'x' WHERE id = 50003");
  std::string of_one;
  for (const unsigned threads : {1U, 3U}) {
    auto source = column("items", "name", {.encoding = KeyEncoding::i64});
    std::uint64_t handed = 0;
    const std::string message = message_of<std::invalid_argument>([&] {
      source.for_each_prepared({threads, {}}, [&](const Batch& batch) {
        handed += batch.keys.size();
        return true;
      });
    });
    EXPECT_THAT(message, HasSubstr("read: \"x\" is not an i64"));
    if (of_one.empty()) of_one = message + std::to_string(handed);
    EXPECT_EQ(message + std::to_string(handed), of_one);
  }
}

TEST_F(Stretches, EndWithTheConsumer) {
  make_items();
  auto source = column("items", "name");
  std::uint64_t handed = 0;
  const auto totals = source.for_each_prepared({3, {}}, [&](const Batch& batch) {
    handed += batch.keys.size();
    return handed < 10'000;
  });
  EXPECT_EQ(totals.key_count, handed);
  EXPECT_LT(handed, 20'000U);
  EXPECT_THROW(source.for_each_prepared(
                   {3, {}}, [](const Batch&) -> bool { throw StoreError("the disk is full"); }),
               StoreError);
  EXPECT_EQ(read(source, 3).keys.size(), names(1).keys.size()) << "another pass starts anew";
}

// In write-ahead mode others write while we read.
TEST_F(Stretches, SeeOneSnapshotOfAll) {
  make("PRAGMA journal_mode=WAL");
  make_items();
  const std::size_t count = names(1).keys.size();
  WritableDatabase other(path_);
  auto source = column("items", "name");
  std::size_t handed = 0;
  source.for_each_prepared({3, {}}, [&](const Batch& batch) {
    if (handed == 0) other.run("DELETE FROM items");
    handed += batch.keys.size();
    return true;
  });
  EXPECT_EQ(handed, count);
  EXPECT_EQ(names(3).keys.size(), 0U);
}

// The process may not open one more descriptor.
TEST_F(Stretches, AreLeftToOneThreadWhereThereIsNoOtherConnection) {
  make_items();
  const Read one = names(1);
  auto source = column("items", "name");
  const int next = dup(STDIN_FILENO);
  close(next);
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  const rlimit full{static_cast<rlim_t>(next), limit.rlim_max};
  setrlimit(RLIMIT_NOFILE, &full);
  const Read several = read(source, 3);
  setrlimit(RLIMIT_NOFILE, &limit);
  EXPECT_FALSE(several.used_slots);
  EXPECT_TRUE(several.keys == one.keys);
}

struct Snapshot : SqliteTest {
  static std::string count(SqliteDatabase& database) {
    return database.texts("SELECT count(*) FROM t").at(0);
  }
};

TEST_F(Snapshot, IsOfOneMoment) {
  make("PRAGMA journal_mode=WAL; CREATE TABLE t(x); INSERT INTO t VALUES (1)");
  SqliteDatabase first(path_, 0);
  std::list<SqliteDatabase> others;
  others.emplace_back(path_, 0);
  others.emplace_back(path_, 0);
  make("INSERT INTO t VALUES (2)");
  {
    const OneSnapshot snapshot(first, others);
    EXPECT_TRUE(snapshot);
    make("INSERT INTO t VALUES (3)");
    EXPECT_EQ(count(first), "2");
    for (SqliteDatabase& each : others) EXPECT_EQ(count(each), "2");
  }
  EXPECT_EQ(count(first), "3");
  for (SqliteDatabase& each : others) EXPECT_EQ(count(each), "3");
}

TEST_F(Snapshot, IsNoneWhereAWriterHasLockedTheFile) {
  make("CREATE TABLE t(x)");
  SqliteDatabase first(path_, 0);
  std::list<SqliteDatabase> others;
  others.emplace_back(path_, 0);
  WritableDatabase writer(path_);
  writer.run("BEGIN EXCLUSIVE");
  EXPECT_FALSE(OneSnapshot(first, others));
  writer.run("ROLLBACK");
  EXPECT_TRUE(OneSnapshot(first, others));
}

TEST_F(Snapshot, IsOfOneFile) {
  make("CREATE TABLE t(x)");
  const std::string elsewhere = folder_.path("other.db");
  WritableDatabase(elsewhere).run("CREATE TABLE t(x)");
  SqliteDatabase first(path_, 0);
  std::list<SqliteDatabase> others;
  others.emplace_back(elsewhere, 0);
  EXPECT_FALSE(OneSnapshot(first, others));
}

}  // namespace
}  // namespace bloomery
