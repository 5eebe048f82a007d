// SPDX-License-Identifier: Apache-2.0
// Slots that others have, too.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <optional>
#include <set>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>

#include "bloomery/errors.h"
#include "bloomery/source/open_changes.h"
#include "tests/source/postgres/followed.h"
#include "tests/source/postgres/postgres_fixture.h"
#include "tests/source/source_helpers.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using testing::PostgresSession;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// The other follower confirms what the first has not, while the first waits for the slot.
TEST(PostgresChanges, GoesOnWithNoSlotThatWasConfirmedFurtherWhileItWaited) {
  PostgresSession session(server());
  session.run("CREATE TABLE waited(id int PRIMARY KEY)");
  const ChangeOptions options{.slot = "waited"};
  auto first = open_change_source(location_of("waited", "id"), options);
  const auto fence = open_fence(location_of("waited", "id"));
  first->start(std::nullopt);
  Watermark reached;
  const auto catch_up = [&] {
    const Watermark now = fence->ask();
    for (const auto until = Clock::now() + 20s; !reached.reaches(now) && Clock::now() < until;) {
      first->poll([&](const Changes& changes) { reached = changes.watermark.value_or(reached); },
                  20ms);
    }
  };
  catch_up();
  const Watermark old = reached;
  const auto second = open_change_source(location_of("waited", "id"), options);
  bool goes_on = true;
  std::thread waits([&] { goes_on = second->start(old); });
  const auto walsenders = [&] {
    return session.run("SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'walsender'");
  };
  for (const auto until = Clock::now() + 5s; walsenders() != "2" && Clock::now() < until;) {
  }
  std::this_thread::sleep_for(100ms);  // until it has looked how far the slot is
  session.run("INSERT INTO waited VALUES (1)");
  catch_up();
  first->confirm(reached);
  const std::string behind =
      "SELECT count(*) FROM pg_replication_slots WHERE slot_name LIKE '%_waited' AND "
      "confirmed_flush_lsn - '0/0'::pg_lsn < " +
      std::to_string(reached.position);
  for (const auto until = Clock::now() + 5s; session.run(behind) != "0" && Clock::now() < until;) {
  }
  first.reset();
  waits.join();
  EXPECT_FALSE(goes_on);
  second->remove();
}

TEST(PostgresChanges, LeavesTheSlotsOfOtherDatabasesAlone) {
  PostgresSession session(server());
  session.run("CREATE TABLE alike(id int PRIMARY KEY)");
  session.run("CREATE DATABASE neighbour");
  {
    const std::string conninfo = "host=" + server().folder() + " user=postgres dbname=neighbour";
    PostgresSession(conninfo).run("CREATE TABLE alike(id int PRIMARY KEY)");
  }
  const ChangeOptions options{.slot = "alike"};
  open_change_source(location_of("alike", "id"), options)->start(std::nullopt);  // and is gone
  const auto slot = [&] {
    return session.run("SELECT database FROM pg_replication_slots WHERE slot_name LIKE '%_alike'");
  };
  {
    const auto other = open_change_source(
        "postgres://postgres@/neighbour?host=" + server().folder() + "&table=alike&column=id",
        options);
    EXPECT_THAT(message_of<std::invalid_argument>([&] { other->start(std::nullopt); }),
                HasSubstr("belongs to the database \"postgres\""));
    EXPECT_EQ(slot(), "postgres");
    other->remove();
    EXPECT_EQ(slot(), "postgres");
  }
  const auto again = open_change_source(location_of("alike", "id"), options);
  EXPECT_TRUE(again->start(open_fence(location_of("alike", "id"))->ask()));
  again->remove();
  EXPECT_EQ(slot(), "");
  session.run("DROP DATABASE neighbour WITH (FORCE)");
}

// The slot is dropped by an operator whose disk is full, say: what was committed since is in no
// slot.
TEST(PostgresChanges, ScansAgainWhereItsSlotWasDropped) {
  PostgresSession session(server());
  session.run("CREATE TABLE dropped(id text PRIMARY KEY); INSERT INTO dropped VALUES ('first')");
  Followed named("table=dropped&column=id", {.slot = "dropped"});
  named.source().confirm(named.watermark());
  const std::string slot = "FROM pg_replication_slots WHERE slot_name LIKE '%_dropped'";
  session.run("SELECT pg_terminate_backend(active_pid) " + slot);
  for (const auto until = Clock::now() + 10s; Clock::now() < until;) {
    if (session.run("SELECT bool_or(active) " + slot) == "f") break;
  }
  session.run("SELECT pg_drop_replication_slot(slot_name) " + slot);
  session.run("INSERT INTO dropped VALUES ('later')");
  EXPECT_FALSE(named.says_absent("later"));
  EXPECT_THROW(for (int i = 0; i < 200; ++i) named.poll(), StoreError);
  EXPECT_FALSE(named.start_again());
  EXPECT_THAT(named.source().why_anew(), HasSubstr("_dropped is gone"));
  EXPECT_TRUE(named.catch_up());
  EXPECT_TRUE(named.keys().contains("later"));
}

// A row that is not UTF-8 is possible only in a database of SQL_ASCII. The slot gives it for ever.
TEST(PostgresChanges, ScansAgainAfterARowThatIsNoUtf8) {
  PostgresSession(server()).run("CREATE DATABASE bytes ENCODING 'SQL_ASCII' TEMPLATE template0");
  const auto source = open_change_source(
      "postgres://postgres@/bytes?host=" + server().folder() + "&table=bytes&column=id",
      {.slot = "bytes"});
  {
    PostgresSession session("host=" + server().folder() + " user=postgres dbname=bytes");
    session.run("CREATE TABLE bytes(id text PRIMARY KEY)");
    source->start(std::nullopt);
    Watermark reached;
    std::set<std::string, std::less<>> keys;
    const auto poll = [&] {
      source->poll(
          [&](const Changes& changes) {
            keys.insert(changes.keys.begin(), changes.keys.end());
            reached = changes.watermark.value_or(reached);
          },
          20ms);
    };
    poll();
    session.run("INSERT INTO bytes VALUES (E'\\xff')");
    EXPECT_THROW(for (int i = 0; i < 200; ++i) poll(), SourceChanged);
    session.run("DELETE FROM bytes");
    EXPECT_FALSE(source->start(reached));
    session.run("INSERT INTO bytes VALUES ('later')");
    for (int i = 0; i < 200 && !keys.contains("later"); ++i) poll();
    EXPECT_TRUE(keys.contains("later"));
    source->remove();
  }
  PostgresSession(server()).run("DROP DATABASE bytes WITH (FORCE)");
}

// A server that makes a slot waits for all who write. One that followers leave behind each time, as
// a service that is started again and again does, would soon take no more of them.
TEST(PostgresChanges, LeavesNoSlotThatItDidNotWaitFor) {
  PostgresSession session(server());
  session.run("CREATE TABLE given_up(id int PRIMARY KEY)");
  PostgresSession writes(server());
  writes.run("BEGIN; INSERT INTO given_up VALUES (1)");
  const auto slots = [&] {
    return session.run(
        "SELECT count(*) FROM pg_replication_slots, pg_publication_tables "
        "WHERE tablename = 'given_up' AND starts_with(slot_name, pubname)");
  };
  const auto walsenders = [&] {
    return session.run("SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'walsender'");
  };
  for (const std::string slot : {"", "given_up"}) {
    const auto source = open_change_source(location_of("given_up", "id"), {.slot = slot});
    std::stop_source stop;
    std::thread stops([&] {
      for (const auto until = Clock::now() + 20s; slots() != "1" && Clock::now() < until;) {
        std::this_thread::sleep_for(1ms);
      }
      EXPECT_EQ(slots(), "1");
      stop.request_stop();
    });
    EXPECT_THROW(source->start(std::nullopt, {.stop = stop.get_token()}), CallAborted);
    stops.join();
    const auto is_gone = [&] { return slots() == "0" && walsenders() == "0"; };
    for (const auto until = Clock::now() + 5s; !is_gone() && Clock::now() < until;) {
      std::this_thread::sleep_for(10ms);
    }
    EXPECT_TRUE(is_gone()) << slot;
  }
  writes.run("COMMIT");
  open_change_source(location_of("given_up", "id"))->remove();
}

TEST(PostgresChanges, WaitsLongerForASlotThanAStatementMayTake) {
  PostgresSession session(server());
  session.run("CREATE TABLE patient(id int PRIMARY KEY)");
  PostgresSession writes(server());
  writes.run("BEGIN; INSERT INTO patient VALUES (1)");
  const auto source = open_change_source(
      location_of("options=-c%20statement_timeout%3D1500&table=patient&column=id"));
  std::thread ends([&] {
    std::this_thread::sleep_for(2s);
    writes.run("COMMIT");
  });
  EXPECT_NO_THROW(source->start(std::nullopt));
  ends.join();
  source->remove();
}

}  // namespace
}  // namespace bloomery
