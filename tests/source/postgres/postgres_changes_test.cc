// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/postgres/postgres_changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/source/open_changes.h"
#include "bloomery/source/postgres/postgres_rows.h"
#include "tests/source/change_source_contract.h"
#include "tests/source/postgres/followed.h"
#include "tests/source/postgres/postgres_fixture.h"
#include "tests/source/source_helpers.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using testing::PostgresSession;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using Keys = Followed::Keys;

class PostgresSql final : public SqlSession {
 public:
  PostgresSql() : session_(server()) {}
  void run(const std::string& sql) override { session_.run(sql); }

 private:
  PostgresSession session_;
};

DatabaseUnderTest postgres_database(const std::string& slot) {
  return {.name = "PostgreSQL, slot " + slot,
          .connect = [] { return std::make_unique<PostgresSql>(); },
          .location = [](const std::string& table,
                         const std::string& column) { return location_of(table, column); },
          .leftovers = leftovers,
          .options = {.slot = slot},
          .resumes = !slot.empty()};
}

TEST(PostgresChanges, KeepsTheContractWithATemporarySlot) {
  ChangeSourceContract(postgres_database("")).check_all();
}

TEST(PostgresChanges, KeepsTheContractWithASlotOfAName) {
  ChangeSourceContract(postgres_database("contract")).check_all();
}

TEST(PostgresChanges, StreamsALargeTransactionWhileItIsOpen) {
  PostgresSession session(server());
  session.run("CREATE TABLE large(id int PRIMARY KEY, filler text)");
  Followed followed("table=large&column=id");
  session.run(
      "BEGIN; INSERT INTO large SELECT i, repeat('x', 20) FROM generate_series(1, 100000) i");
  // Before it is committed; and not all in one piece.
  for (const auto until = Clock::now() + 20s;
       followed.keys().size() < 1000 && Clock::now() < until;) {
    followed.poll();
  }
  EXPECT_GE(followed.keys().size(), 1000u);
  session.run("COMMIT");
  EXPECT_TRUE(followed.catch_up());
  EXPECT_EQ(followed.keys().size(), 100000u);
  EXPECT_LE(followed.most_at_once(), 16'384u);
  // Undone, as a whole and in part.
  session.run(
      "BEGIN; INSERT INTO large SELECT i, repeat('x', 20) FROM generate_series(200000, 215000) i;"
      "ROLLBACK");
  session.run(
      "BEGIN; INSERT INTO large VALUES (300000); SAVEPOINT a;"
      "INSERT INTO large SELECT i, repeat('x', 20) FROM generate_series(400000, 415000) i;"
      "ROLLBACK TO a; INSERT INTO large VALUES (300001); COMMIT");
  EXPECT_TRUE(followed.catch_up());
  EXPECT_TRUE(followed.keys().contains("300000"));
  EXPECT_TRUE(followed.keys().contains("300001"));
}

// A batch of a megabyte is as much as there is: meanwhile others are taken from the server.
TEST(PostgresChanges, TakesRowsWhileAFullBatchIsCarriedAndNoticesALostConnection) {
  constexpr std::size_t kRows = 5000;
  constexpr std::size_t kFull = 1000;
  PostgresSession session(server());
  session.run("CREATE TABLE wide(id text PRIMARY KEY)");
  const auto insert = [&](const std::string& prefix) {
    session.run("INSERT INTO wide SELECT '" + prefix + "' || i || repeat('x', 1000) " +
                "FROM generate_series(1, " + std::to_string(kRows) + ") i");
  };
  const auto source = open_change_source(location_of("table=wide&column=id"));
  source->start(std::nullopt);
  source->scan([](const Batch&) { return true; });
  Keys keys;
  std::size_t most = 0;
  std::function<void()> meanwhile = [] { std::this_thread::sleep_for(3ms); };
  const auto poll = [&] {
    source->poll(
        [&](const Changes& changes) {
          keys.insert(changes.keys.begin(), changes.keys.end());
          most = std::max(most, changes.keys.size());
          if (changes.keys.size() >= kFull) meanwhile();
        },
        100ms);
  };
  insert("a");
  const auto until = Clock::now() + 20s;
  while (keys.size() < kRows && Clock::now() < until) poll();
  EXPECT_EQ(keys.size(), kRows);
  EXPECT_GE(most, kFull);

  meanwhile = [] {
    PostgresSession(server()).run(
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_replication");
    std::this_thread::sleep_for(50ms);
  };
  insert("b");
  EXPECT_THROW(while (Clock::now() < until) poll(), StoreError);
  source->remove();
}

TEST(PostgresChanges, SeesRowsHoweverTheyCome) {
  PostgresSession session(server());
  session.run("CREATE TABLE ways(id text PRIMARY KEY, v int)");
  Followed followed("table=ways&column=id");
  PGresult* begun = PQexec(session.handle(), "COPY ways FROM STDIN");
  PQclear(begun);
  PQputCopyData(session.handle(), "copied\t1\n", 9);
  PQputCopyEnd(session.handle(), nullptr);
  while (PGresult* each = PQgetResult(session.handle())) PQclear(each);
  session.run("INSERT INTO ways VALUES ('upserted', 1) ON CONFLICT (id) DO UPDATE SET v = 2");
  session.run("WITH w AS (INSERT INTO ways VALUES ('from a query') RETURNING id) SELECT * FROM w");
  session.run("BEGIN; INSERT INTO ways VALUES ('in two phases'); PREPARE TRANSACTION 'two'");
  session.run("COMMIT PREPARED 'two'");
  const std::string long_key(2000, 'k');  // and one that is stored aside
  session.run("ALTER TABLE ways ALTER id SET STORAGE EXTERNAL");
  session.run("INSERT INTO ways VALUES ('" + long_key + "', 1)");
  session.run("UPDATE ways SET v = 5");
  EXPECT_TRUE(followed.catch_up());
  for (const char* const key : {"copied", "upserted", "from a query", "in two phases"}) {
    EXPECT_TRUE(followed.keys().contains(key)) << key;
  }
  EXPECT_TRUE(followed.keys().contains(long_key));
}

// A row of an asynchronous commit is seen before the server has flushed the commit.
TEST(PostgresChanges, ReachesRowsOfAsynchronousCommits) {
  PostgresSession session(server());
  session.run("CREATE TABLE lazy(id int PRIMARY KEY); SET synchronous_commit = off");
  Followed followed("table=lazy&column=id");
  for (int i = 0; i < 20; ++i) {
    const std::string key = std::to_string(i);
    session.run("INSERT INTO lazy VALUES (" + key + ")");
    EXPECT_FALSE(followed.says_absent(key));
    followed.poll(1ms);
    EXPECT_FALSE(followed.says_absent(key));
  }
  EXPECT_TRUE(followed.catch_up());
  EXPECT_TRUE(followed.comes_to_say_absent("77"));
}

// The server need not flush what has not been committed, and nobody else commits.
TEST(PostgresChanges, ReachesTheFenceBesideAnOpenTransaction) {
  PostgresSession session(server());
  session.run("CREATE TABLE open(id int PRIMARY KEY)");
  Followed followed("table=open&column=id");
  session.run("BEGIN; INSERT INTO open VALUES (1)");
  EXPECT_TRUE(followed.catch_up());
  session.run("COMMIT");
  EXPECT_TRUE(followed.catch_up());
  EXPECT_TRUE(followed.keys().contains("1"));
}

TEST(PostgresChanges, CarriesChangesWhileAScanWaitsForWhoWrites) {
  PostgresSession session(server());
  session.run("CREATE TABLE written(id text PRIMARY KEY)");
  Followed followed("table=written&column=id");
  PostgresSession writer(server());
  writer.run("BEGIN; INSERT INTO written VALUES ('open')");
  int pauses = 0;
  Keys scanned;
  followed.source().scan(
      [&](const Batch& batch) {
        scanned.insert(batch.keys.begin(), batch.keys.end());
        if (!batch.keys.empty() || ++pauses != 3) return true;
        session.run("INSERT INTO written VALUES ('meanwhile')");
        EXPECT_TRUE(followed.catch_up());
        EXPECT_TRUE(followed.keys().contains("meanwhile"));
        writer.run("COMMIT");
        return true;
      },
      CallContext::within(std::chrono::seconds(10)));
  EXPECT_GE(pauses, 3);
  EXPECT_EQ(scanned, (Keys{"meanwhile", "open"}));
}

TEST(PostgresChanges, IsAnotherSourceAfterEachWayThatRowsComeWithoutAWord) {
  PostgresSession session(server());
  struct Way {
    const char* what;
    const char* sql;
    const char* key;
  };
  for (const Way& way : {
           Way{"TRUNCATE", "TRUNCATE quiet; INSERT INTO quiet VALUES ('7')", "7"},
           Way{"ALTER TYPE USING",
               "ALTER TABLE quiet REPLICA IDENTITY DEFAULT; "
               "ALTER TABLE quiet ALTER id TYPE varchar(9) USING id || '7'",
               "17"},
           Way{"a table renamed over",
               "CREATE TABLE other (LIKE quiet INCLUDING ALL); INSERT INTO other VALUES ('7');"
               "ALTER TABLE quiet RENAME TO old; ALTER TABLE other RENAME TO quiet",
               "7"},
           Way{"columns that exchange names",
               "ALTER TABLE quiet RENAME id TO x; ALTER TABLE quiet RENAME v TO id;"
               "ALTER TABLE quiet RENAME x TO v; UPDATE quiet SET id = '7'",
               "7"},
           Way{"a publication altered and back", nullptr, "7"},
       }) {
    SCOPED_TRACE(way.what);
    session.run("DROP TABLE IF EXISTS old, quiet; CREATE TABLE quiet(id text PRIMARY KEY, v text)");
    // Whole rows are sent: of columns that are listed the server lets nobody alter the type.
    session.run("ALTER TABLE quiet REPLICA IDENTITY FULL");
    session.run("INSERT INTO quiet VALUES ('1')");
    Followed followed("table=quiet&column=id");
    if (way.sql != nullptr) {
      session.run(way.sql);
    } else {
      const std::string name =
          session.run("SELECT pubname FROM pg_publication WHERE pubname LIKE 'bloomery%'");
      session.run("ALTER PUBLICATION " + name + " SET (publish = 'delete')");
      session.run("INSERT INTO quiet VALUES ('7')");
      session.run("ALTER PUBLICATION " + name +
                  " SET (publish = 'insert, update, delete, truncate')");
    }
    followed.expect_another_source(way.key);
  }
}

TEST(PostgresChanges, FollowsPartitionsAndNoticesThoseThatCome) {
  PostgresSession session(server());
  session.run("CREATE TABLE parts(v int, id int PRIMARY KEY) PARTITION BY RANGE (id)");
  session.run("CREATE TABLE parts1 PARTITION OF parts FOR VALUES FROM (0) TO (100)");
  session.run("CREATE TABLE parts2(id int PRIMARY KEY, v int)");  // in another order
  session.run("ALTER TABLE parts ATTACH PARTITION parts2 FOR VALUES FROM (100) TO (200)");
  session.run("CREATE TABLE parts3(id int PRIMARY KEY, v int); INSERT INTO parts3 VALUES (250, 1)");
  Followed followed("table=parts&column=id");
  session.run("INSERT INTO parts VALUES (9, 1), (9, 101); INSERT INTO parts2 VALUES (102, 9)");
  session.run("UPDATE parts SET id = 103 WHERE id = 1");  // from one to the other
  EXPECT_TRUE(followed.catch_up());
  EXPECT_EQ(followed.keys(), (Keys{"1", "101", "102", "103"}));

  session.run("ALTER TABLE parts ATTACH PARTITION parts3 FOR VALUES FROM (200) TO (300)");
  followed.expect_another_source("250");
  session.run(
      "ALTER TABLE parts DETACH PARTITION parts3; ALTER TABLE parts3 SET UNLOGGED;"
      "ALTER TABLE parts3 SET LOGGED; INSERT INTO parts3 VALUES (251, 1);"
      "ALTER TABLE parts ATTACH PARTITION parts3 FOR VALUES FROM (200) TO (300)");
  followed.expect_another_source("251");
}

// The server describes the table, but says how a row was by its partition's identity.
TEST(PostgresChanges, SeesUpdatedKeysWhereAPartitionHasAnIdentityOfItsOwn) {
  PostgresSession session(server());
  session.run("CREATE TABLE own(id int, k int, PRIMARY KEY (id, k)) PARTITION BY RANGE (id)");
  session.run("CREATE TABLE own1 PARTITION OF own FOR VALUES FROM (0) TO (100)");
  session.run("CREATE TABLE own2 PARTITION OF own FOR VALUES FROM (100) TO (200)");
  session.run("INSERT INTO own VALUES (1, 10), (101, 20), (102, 30)");
  session.run("CREATE UNIQUE INDEX own1_id ON own1(id)");
  session.run("ALTER TABLE own1 REPLICA IDENTITY USING INDEX own1_id");
  Followed followed("table=own&column=k");
  session.run("UPDATE own SET k = 500 WHERE id = 1");
  // The second table is as it was by the time that anybody looks.
  session.run("CREATE UNIQUE INDEX own2_id ON own2(id)");
  session.run(
      "BEGIN; ALTER TABLE own2 REPLICA IDENTITY USING INDEX own2_id;"
      "UPDATE own SET k = 600 WHERE id = 101; ALTER TABLE own2 REPLICA IDENTITY DEFAULT; COMMIT");
  session.run("UPDATE own SET k = 700 WHERE id = 102");
  EXPECT_TRUE(followed.catch_up());
  for (const char* const key : {"500", "600", "700"}) {
    EXPECT_TRUE(followed.keys().contains(key)) << key;
  }
}

TEST(PostgresChanges, ScansAgainOnceWhereTheSlotSpeaksOfOtherColumns) {
  PostgresSession session(server());
  struct Way {
    const char* identity;
    const char* sql;
  };
  for (const Way& way : {Way{"DEFAULT", "ALTER TABLE renamed RENAME id TO other"},
                         Way{"FULL", "ALTER TABLE renamed ADD COLUMN v int"}}) {
    SCOPED_TRACE(way.sql);
    session.run("DROP TABLE IF EXISTS renamed; CREATE TABLE renamed(id int PRIMARY KEY, k int)");
    session.run(std::string("ALTER TABLE renamed REPLICA IDENTITY ") + way.identity);
    Followed followed("table=renamed&column=k", {.slot = "renamed"});
    session.run("INSERT INTO renamed VALUES (1, 10)");
    EXPECT_TRUE(followed.catch_up());
    session.run(way.sql);
    session.run("INSERT INTO renamed VALUES (2, 20)");
    EXPECT_TRUE(followed.start_again());
    EXPECT_THROW(for (int i = 0; i < 200; ++i) followed.poll(), SourceChanged);
    EXPECT_FALSE(followed.start_again());
    EXPECT_TRUE(followed.catch_up());
    EXPECT_TRUE(followed.keys().contains("20"));
    EXPECT_TRUE(followed.start_again());
    session.run("INSERT INTO renamed VALUES (3, 30)");
    EXPECT_TRUE(followed.catch_up());
    EXPECT_TRUE(followed.keys().contains("30"));
  }
}

// The publication waits for the exchange to wait for it, which comes right behind it.
TEST(PostgresChanges, IsNeverHalfOfATableThatIsExchangedWhileItStarts) {
  PostgresSession session(server());
  session.run(
      "CREATE FUNCTION linger() RETURNS event_trigger LANGUAGE plpgsql AS "
      "$$BEGIN WHILE to_regclass('next') IS NOT NULL AND NOT EXISTS (SELECT FROM pg_locks WHERE "
      "relation = 'swapped'::regclass AND NOT granted) LOOP PERFORM pg_sleep(0.002); END LOOP; "
      "END$$;"
      "CREATE EVENT TRIGGER lingers ON ddl_command_end WHEN TAG IN ('CREATE PUBLICATION') "
      "EXECUTE FUNCTION linger()");
  for (int i = 0; i < 5; ++i) {
    session.run(
        "DROP TABLE IF EXISTS before, swapped; CREATE TABLE swapped(id int PRIMARY KEY);"
        "CREATE TABLE next(id int PRIMARY KEY); INSERT INTO next VALUES (1)");
    std::thread exchange([] {
      PostgresSession own(server());
      while (own.run("SELECT count(*) FROM pg_locks WHERE relation = 'swapped'::regclass AND "
                     "mode = 'ShareUpdateExclusiveLock' AND granted") == "0") {
      }
      own.run(
          "BEGIN; ALTER TABLE swapped RENAME TO before; ALTER TABLE next RENAME TO swapped; "
          "COMMIT");
    });
    const auto source = open_change_source(location_of("swapped", "id"));
    const auto fence = open_fence(location_of("swapped", "id"));
    source->start(std::nullopt);
    exchange.join();
    // Either it ends, or it has what comes into the table that is there now.
    Keys keys;
    Watermark watermark;
    const auto take = [&](const Changes& changes) {
      keys.insert(changes.keys.begin(), changes.keys.end());
      if (changes.watermark) watermark = *changes.watermark;
    };
    try {
      source->scan([&](const Batch& batch) {
        keys.insert(batch.keys.begin(), batch.keys.end());
        return true;
      });
      session.run("INSERT INTO swapped VALUES (2)");
      const Watermark now = fence->ask();
      for (const auto until = Clock::now() + 20s;
           !watermark.reaches(now) && Clock::now() < until;) {
        source->poll(take, 20ms);
      }
      EXPECT_TRUE(watermark.reaches(now));
      EXPECT_EQ(keys, (Keys{"1", "2"}));
    } catch (const SourceChanged&) {
    }
    source->remove();
  }
  session.run("DROP EVENT TRIGGER lingers; DROP FUNCTION linger()");
}

// Writers, and a reader that asks right after each acknowledgement: 0 false absents; without the
// fence there are many.
TEST(PostgresChanges, NeverSaysAbsentOfARowThatWasAcknowledged) {
  PostgresSession session(server());
  session.run("CREATE TABLE asked(id text PRIMARY KEY)");
  const auto source = open_change_source(location_of("asked", "id"));
  source->start(std::nullopt);
  std::mutex mutex;  // of what follows: the filter
  std::set<std::string, std::less<>> keys;
  Watermark watermark;
  std::atomic<bool> is_over = false;
  std::thread follower([&] {
    source->scan([&](const Batch& batch) {
      const std::lock_guard lock(mutex);
      keys.insert(batch.keys.begin(), batch.keys.end());
      return true;
    });
    while (!is_over) {
      source->poll(
          [&](const Changes& changes) {
            const std::lock_guard lock(mutex);
            keys.insert(changes.keys.begin(), changes.keys.end());
            if (changes.watermark) watermark = *changes.watermark;
          },
          5ms);
    }
  });
  std::atomic<int> asked = 0;
  std::atomic<int> false_absents = 0;
  std::atomic<int> absents_without_fence = 0;
  std::atomic<int> true_absents = 0;
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 3; ++writer) {
    writers.emplace_back([&, writer] {
      PostgresSession own(server());
      const auto fence = open_fence(location_of("asked", "id"));
      if (writer == 2) own.run("SET synchronous_commit = off");
      for (int i = 0; i < 150; ++i) {
        const std::string key = std::to_string(writer) + ":" + std::to_string(i);
        own.run("INSERT INTO asked VALUES ('" + key + "')");
        {
          const std::lock_guard lock(mutex);
          absents_without_fence += keys.contains(key) ? 0 : 1;
        }
        const Watermark now = fence->ask();
        for (int wait = 0; wait < 20; ++wait) {
          {
            const std::lock_guard lock(mutex);
            if (watermark.reaches(now)) {
              false_absents += keys.contains(key) ? 0 : 1;
              true_absents += keys.contains("no " + key) ? 0 : 1;
              break;
            }
          }
          std::this_thread::sleep_for(1ms);
        }
        ++asked;
      }
    });
  }
  for (std::thread& each : writers) each.join();
  is_over = true;
  follower.join();
  EXPECT_EQ(asked, 450);
  EXPECT_EQ(false_absents, 0);
  EXPECT_GT(absents_without_fence, 0);
  EXPECT_GT(true_absents, 100);
  source->remove();
}

}  // namespace
}  // namespace bloomery
