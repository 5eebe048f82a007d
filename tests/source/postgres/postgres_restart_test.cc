// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>

#include "bloomery/errors.h"
#include "bloomery/source/postgres/table_question.h"
#include "tests/source/postgres/followed.h"
#include "tests/source/postgres/postgres_fixture.h"
#include "tests/source/source_helpers.h"
#include "tests/support/proxy.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using testing::PostgresSession;

void run_shell(const std::string& command) {
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
}

void restart(int signal) {
  server().stop(signal);
  server().start();
}

TEST(PostgresRestart, GoesOnWithASlotOfANameAndScansWithoutOne) {
  std::optional<PostgresSession> session(server());
  session->run("CREATE TABLE restarts(id text PRIMARY KEY); INSERT INTO restarts VALUES ('first')");
  Followed named("table=restarts&column=id", {.slot = "restart"});
  Followed temporary("table=restarts&column=id");
  named.source().confirm(named.watermark());
  session->run("INSERT INTO restarts VALUES ('before the crash')");
  session.reset();
  // A pooler does so, too: it gives out other sessions, of whatever server there is.
  const ServerLocation place = parse_server_location(location_of("restarts", "id"));
  using postgres::Connection;
  std::optional<Connection> asked(std::in_place, place, Connection::Kind::queries, kNoContext);
  postgres::TableQuestion question(*asked, place.selection, kNoContext);
  const Watermark before = question.ask(*asked, kNoContext);
  asked->query("DEALLOCATE ALL", kNoContext);
  EXPECT_EQ(question.ask(*asked, kNoContext).source, before.source);
  restart(SIGQUIT);
  asked.emplace(place, Connection::Kind::queries, kNoContext);
  EXPECT_THROW(question.ask(*asked, kNoContext), postgres::SessionExchanged);
  session.emplace(server());
  session->run("INSERT INTO restarts VALUES ('after the crash')");
  for (Followed* const each : {&named, &temporary}) {
    EXPECT_FALSE(each->says_absent("after the crash"));
    EXPECT_THROW(for (int i = 0; i < 200; ++i) each->poll(), StoreError);
    EXPECT_EQ(each->start_again(), each == &named);
    EXPECT_TRUE(each->catch_up());
    EXPECT_TRUE(each->keys().contains("before the crash"));
    EXPECT_TRUE(each->keys().contains("after the crash"));
    EXPECT_TRUE(each->comes_to_say_absent("no such key"));
  }
}

// The files of an older state: the same server by its identifier and timeline, and the same
// positions for other rows.
TEST(PostgresRestart, KnowsAServerWhoseFilesWerePutBack) {
  std::optional<PostgresSession> session(server());
  session->run("CREATE TABLE put_back(id text PRIMARY KEY)");
  const std::string data = server().folder() + "/data";
  const std::string copy = server().folder() + "/copy";
  Followed named("table=put_back&column=id", {.slot = "back"});
  Followed temporary("table=put_back&column=id");
  session.reset();
  server().stop(SIGQUIT);
  run_shell("cp -a '" + data + "' '" + copy + "'");
  server().start();
  session.emplace(server());
  session->run("INSERT INTO put_back SELECT 'lost ' || i FROM generate_series(1, 2000) i");
  for (Followed* const each : {&named, &temporary}) {
    each->start_again();
    EXPECT_TRUE(each->catch_up());
  }
  named.source().confirm(named.watermark());
  const Watermark old = named.watermark();
  session.reset();
  server().stop(SIGQUIT);
  run_shell("rm -rf '" + data + "' && mv '" + copy + "' '" + data + "'");
  server().start();
  session.emplace(server());
  session->run("INSERT INTO put_back VALUES ('at a position that was there before')");
  for (Followed* const each : {&named, &temporary}) {
    EXPECT_FALSE(each->says_absent("at a position that was there before"));
  }
  // Changes that are followed from here on are confirmed where an older dump of the filter is
  // further, and that one lacks the row before.
  named.start_again();
  EXPECT_TRUE(named.catch_up());
  EXPECT_TRUE(named.keys().contains("at a position that was there before"));
  // The number alone would say that the log goes on, once the log is as long as it was.
  session->run("INSERT INTO put_back SELECT 'new ' || i FROM generate_series(1, 5000) i");
  EXPECT_TRUE(named.catch_up());
  ASSERT_LT(old.position, named.watermark().position);
  EXPECT_FALSE(named.source().start(old));
  for (Followed* const each : {&named, &temporary}) {
    EXPECT_FALSE(each->says_absent("new 5000"));
    each->start_again();
    EXPECT_TRUE(each->catch_up());
    EXPECT_NE(each->watermark().source, old.source);
    EXPECT_TRUE(each->keys().contains("at a position that was there before"));
    EXPECT_TRUE(each->keys().contains("new 5000"));
  }
}

// A backup has no slots, and scripts make them again. That one gives what came since it was made.
TEST(PostgresRestart, KnowsASlotThatWasMadeAgainOnceFilesWerePutBack) {
  std::optional<PostgresSession> session(server());
  session->run("CREATE TABLE remade(id text PRIMARY KEY)");
  const std::string data = server().folder() + "/data";
  const std::string copy = server().folder() + "/copy";
  Followed named("table=remade&column=id", {.slot = "remade"});
  named.source().confirm(named.watermark());
  session->run("CHECKPOINT");
  run_shell("cp -a '" + data + "' '" + copy + "' || true");  // a file of a moment may go meanwhile
  run_shell("rm -r '" + copy + "'/postmaster.pid '" + copy + "'/pg_replslot/*");
  session->run("INSERT INTO remade SELECT 'lost ' || i FROM generate_series(1, 2000) i");
  EXPECT_TRUE(named.catch_up());
  const Watermark old = named.watermark();
  const std::string slot = session->run("SELECT slot_name FROM pg_replication_slots");
  session.reset();
  server().stop(SIGQUIT);
  run_shell("rm -rf '" + data + "' && mv '" + copy + "' '" + data + "'");
  server().start();
  session.emplace(server());
  session->run("INSERT INTO remade VALUES ('before the slot')");
  session->run("SELECT pg_create_logical_replication_slot('" + slot + "', 'pgoutput')");
  session->run("INSERT INTO remade SELECT 'new ' || i FROM generate_series(1, 5000) i");
  EXPECT_FALSE(named.start_again());
  EXPECT_TRUE(named.catch_up());
  ASSERT_LT(old.position, named.watermark().position);
  EXPECT_TRUE(named.keys().contains("before the slot"));
}

// A server that shuts down waits until those who follow have what it sent.
TEST(PostgresRestart, HoldsUpNoServerThatShutsDown) {
  std::optional<PostgresSession> session(server());
  session->run("CREATE TABLE shuts(id text PRIMARY KEY)");
  Followed followed("table=shuts&column=id");
  session->run("INSERT INTO shuts VALUES ('never confirmed')");
  session.reset();
  std::thread stopping([] { server().stop(SIGINT); });
  EXPECT_THROW(while (true) followed.poll(), StoreError);
  stopping.join();
  server().start();
}

TEST(PostgresRestart, RefusesAStandbyAndKnowsAnotherTimeline) {
  std::optional<PostgresSession> session(server());
  session->run("CREATE TABLE stands(id text PRIMARY KEY)");
  const auto fence = open_fence(location_of("stands", "id"));
  const Watermark before = fence->ask();
  session.reset();
  server().stop(SIGINT);
  std::ofstream(server().folder() + "/data/standby.signal").flush();
  server().start();
  EXPECT_THAT(message_of<StoreError>([&] { fence->ask(); }), HasSubstr("is a standby"));
  const auto source = open_change_source(location_of("stands", "id"));
  EXPECT_THAT(message_of<StoreError>([&] { source->start(std::nullopt); }),
              HasSubstr("is a standby"));
  session.emplace(server());
  session->run("SELECT pg_promote()");
  const Watermark after = fence->ask();
  EXPECT_NE(after.source.high, before.source.high);
}

// A name that leads to one server and then to its copy, as at a failover: what one of them logs and
// what the other has are no filter together.
TEST(PostgresRestart, FollowsNoTwoServersAtOnce) {
  PostgresSession(server()).run("CREATE TABLE copied(id text PRIMARY KEY)");
  const TemporaryFolder other_folder;
  server().stop(SIGINT);
  run_shell("cp -a '" + server().folder() + "/data' '" + other_folder.path("") + "'");
  server().start();
  testing::PostgresServer other(other_folder.path(""));
  PostgresSession(server()).run("INSERT INTO copied VALUES ('of the first alone')");

  const TemporaryFolder link_folder;
  const std::filesystem::path link = link_folder.path("name");
  const auto lead_to = [&](const testing::PostgresServer& server) {
    std::filesystem::remove(link);
    std::filesystem::create_directory_symlink(server.folder(), link);
  };
  const auto location = [](const std::string& host) {
    return "postgres://postgres@" + host + "&table=copied&column=id";
  };
  {
    lead_to(server());
    const auto source = open_change_source(location("/postgres?host=" + link.string()), {});
    source->start(std::nullopt);
    lead_to(other);
    EXPECT_THAT(message_of<StoreError>([&] { source->scan([](const Batch&) { return true; }); }),
                HasSubstr("leads to several servers"));
    lead_to(server());
    source->remove();
  }
  {
    lead_to(other);
    // The link leads on after the first answer.
    const testing::Proxy proxy(link.string() + "/.s.PGSQL.5432", [&](std::string&, std::mt19937&) {
      lead_to(server());
      return true;
    });
    const auto source = open_change_source(
        location("127.0.0.1:" + std::to_string(proxy.port()) + "/postgres?sslmode=disable"), {});
    EXPECT_THAT(message_of<StoreError>([&] { source->start(std::nullopt); }),
                HasSubstr("leads to several servers"));
  }
}

}  // namespace
}  // namespace bloomery
