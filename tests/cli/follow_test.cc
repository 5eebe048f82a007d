// SPDX-License-Identifier: Apache-2.0
// A filter that is kept in step with a table, through the command.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <string>
#include <thread>

#include "tests/cli/shell.h"
#include "tests/store/scratch_folder.h"
#include "tests/support/redis_server.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using testing::Outcome;
using testing::Shell;
using ::testing::StartsWith;

constexpr const char* kUsers = "'sqlite:shop.db?table=users&column=id'";

class FollowCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    const Outcome made = shell_.run(
        "sqlite3 shop.db 'PRAGMA journal_mode = wal; CREATE TABLE users(id INTEGER PRIMARY KEY); "
        "INSERT INTO users SELECT value FROM generate_series(1, 100)'");
    ASSERT_EQ(made.status, 0) << made.err;
  }
  Outcome follow(const std::string& rest) const {
    return shell_.run("bloomery follow " + (kUsers + (" " + rest)));
  }
  std::string leftovers() const {
    return shell_.run("sqlite3 shop.db \"SELECT name FROM sqlite_schema WHERE name GLOB 'bloom*'\"")
        .out;
  }

  const Shell shell_;
};

TEST_F(FollowCommand, LoadsOnceGoesOnAndLeavesNothingWhenItIsRemoved) {
  const Outcome first = follow("ids.bloom --once");
  EXPECT_EQ(first.status, 0) << first.err;
  EXPECT_THAT(first.err, HasSubstr("100 keys"));
  EXPECT_THAT(first.err, HasSubstr("1 scans"));
  shell_.run("sqlite3 shop.db 'INSERT INTO users VALUES (1001), (1002)'");
  const Outcome second = follow("ids.bloom --once");
  EXPECT_EQ(second.status, 0) << second.err;
  EXPECT_THAT(second.err, HasSubstr(" 0 scans"));
  EXPECT_EQ(shell_.run("seq 100 | bloomery check -c ids.bloom").out, "100\n");
  EXPECT_EQ(shell_.run("seq 1001 1002 | bloomery check -c ids.bloom").out, "2\n");
  const Outcome again = follow("ids.bloom --once --rebuild -p 0.001");
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_THAT(again.err, HasSubstr("1 scans"));
  EXPECT_EQ(shell_.run("seq 1001 1002 | bloomery check -c ids.bloom").out, "2\n");
  EXPECT_NE(leftovers(), "");
  EXPECT_EQ(follow("--remove").status, 0);
  EXPECT_EQ(leftovers(), "");
}

TEST_F(FollowCommand, CountsEachRowOnceWhereItGoesOn) {
  ASSERT_EQ(follow("ids.bloom --once -n 2000").status, 0);
  shell_.run("sqlite3 shop.db 'INSERT INTO users SELECT value FROM generate_series(101, 1000)'");
  EXPECT_THAT(follow("ids.bloom --once").err, HasSubstr(" 1000 keys of 2000,"));
}

TEST_F(FollowCommand, SaysWhatTheDatabaseCallsEqual) {
  EXPECT_THAT(follow("ids.bloom --once").err, Not(HasSubstr("NOCASE")));
  shell_.run("sqlite3 shop.db 'CREATE TABLE names(name TEXT COLLATE NOCASE PRIMARY KEY)'");
  const Outcome told =
      shell_.run("bloomery follow 'sqlite:shop.db?table=names&column=name' names.bloom --once");
  EXPECT_EQ(told.status, 0) << told.err;
  EXPECT_THAT(told.err, HasSubstr("NOCASE"));
}

TEST_F(FollowCommand, FollowsUntilItIsStoppedAndSaysHowItGoes) {
  const std::string ask =
      "python3 -c 'import sys, urllib.request as r; "
      "print(r.urlopen(sys.argv[1]).read().decode())' ";
  const Outcome outcome = shell_.run(
      std::string("env --default-signal=INT bloomery follow ") + kUsers +
      " ids.bloom --metrics 0 --every 0.05 --audit 1/1 2>log & pid=$!\n"
      "for i in $(seq 200); do grep -q following: log && break; sleep 0.05; done\n"
      "url=$(sed -n 's,.*\\(http.*\\)/metrics,\\1,p' log)\n" +
      "for i in $(seq 200); do " + ask +
      "$url/metrics >metrics; grep -q '^bloomery_follow_audited_keys_total [1-9]' metrics && "
      "break; sleep 0.05; done\n" +
      ask + "$url/healthz >health\n" + ask +
      "$url/fence >fence\n"
      "sqlite3 shop.db 'INSERT INTO users VALUES (5000)'\n" +
      ask +
      "$url/fence >later\n"
      "for i in $(seq 200); do echo 5000 | bloomery check -q ids.bloom && break; sleep 0.05; done\n"
      "echo 5000 | bloomery check ids.bloom\n"
      "kill -INT $pid; wait $pid; echo ended $?");
  EXPECT_EQ(outcome.out, "5000\nended 0\n") << outcome.err << shell_.read("log");
  EXPECT_THAT(shell_.read("metrics"), HasSubstr("\nbloomery_follow_keys 100\n"));
  EXPECT_THAT(shell_.read("metrics"), HasSubstr("# TYPE bloomery_follow_up gauge\n"));
  EXPECT_THAT(shell_.read("metrics"), Not(HasSubstr("\nbloomery_follow_audited_keys_total 0\n")));
  EXPECT_THAT(shell_.read("metrics"), HasSubstr("\nbloomery_follow_denied_keys_total 0\n"));
  EXPECT_THAT(shell_.read("log"), Not(HasSubstr("DENIED")));
  EXPECT_THAT(shell_.read("fence"), MatchesRegex("[0-9a-f]+ [0-9]+\n\n"));
  EXPECT_NE(shell_.read("later"), shell_.read("fence")) << "it is asked anew";
  EXPECT_THAT(shell_.read("health"), StartsWith("following: 100 keys"));
  EXPECT_THAT(shell_.read("log"), HasSubstr("ended: 101 keys"));
}

TEST_F(FollowCommand, SaysWhyItReadsTheTableAgain) {
  EXPECT_THAT(follow("ids.bloom --once").err, Not(HasSubstr("read again")));
  shell_.run("sqlite3 shop.db 'ALTER TABLE users ADD COLUMN name TEXT'");
  EXPECT_THAT(follow("ids.bloom --once").err,
              HasSubstr("ids.bloom: the table is read again: the database does not have the "
                        "changes since the filter's watermark"));
}

// A start of a whole machine has no server yet. With --once the caller waits by itself.
TEST_F(FollowCommand, WaitsForAServerThatComesLater) {
  if (!testing::RedisServer::is_installed()) GTEST_SKIP() << "no redis-server here";
  testing::ScratchFolder folder;
  const std::string location = std::string(kUsers) + " 'bitmap:redis+unix://" +
                               (folder / "redis.sock").string() + "#users' ";
  const Outcome once = shell_.run("bloomery follow " + location + "--once");
  EXPECT_EQ(once.status, 2);
  const auto wait_for = [](const std::string& what) {
    return "for i in $(seq 400); do grep -q '" + what + "' log && break; sleep 0.05; done\n";
  };
  const std::string follow = "rm -f log; env --default-signal=INT bloomery follow " + location +
                             "--every 0.05 2>log & pid=$!\n" + wait_for("tried again");
  const std::string end = "kill -INT $pid; wait $pid; echo ended $?";
  EXPECT_EQ(shell_.run(follow + end).out, "ended 0\n");
  auto outcome = std::async(std::launch::async, [&] {
    return shell_.run(follow + "touch waits\n" + wait_for("following: 100 keys") + end).out;
  });
  while (!shell_.has("waits")) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  const testing::RedisServer server(folder.path().string());
  EXPECT_EQ(outcome.get(), "ended 0\n");
  EXPECT_THAT(shell_.read("log"), HasSubstr("ended: 100 keys"));
}

TEST_F(FollowCommand, BuildsAgainWhenASignalAsks) {
  const Outcome outcome = shell_.run(std::string("env --default-signal=INT bloomery follow ") +
                                     kUsers + " ids.bloom --every 0.05 2>log & pid=$!\n" +
                                     "for i in $(seq 400); do grep -q 'following: 100 keys.* 1 "
                                     "scans' log && break; sleep 0.05; done\n"
                                     "sqlite3 shop.db 'DELETE FROM users WHERE id > 40'\n"
                                     "kill -USR1 $pid\n"
                                     "for i in $(seq 400); do grep -q 'following: 40 keys.* 2 "
                                     "scans' log && break; sleep 0.05; done\n"
                                     "kill -INT $pid; wait $pid; echo ended $?");
  EXPECT_EQ(outcome.out, "ended 0\n") << outcome.err;
  const std::string log = shell_.read("log");
  EXPECT_THAT(log, HasSubstr("ids.bloom: it is built again, as USR1 asks"));
  EXPECT_THAT(log, HasSubstr("ended: 40 keys"));
  EXPECT_THAT(log, HasSubstr(", rate "));
}

TEST_F(FollowCommand, ErasesWhatACacheKnowsOfARowThatGoes) {
  if (!testing::RedisServer::is_installed()) GTEST_SKIP() << "no redis-server here";
  testing::ScratchFolder folder;
  const testing::RedisServer server(folder.path().string());
  const auto entries = [&] { return server.ask("EXISTS rows:{=6} rows:{=7}"); };
  server.ask("MSET rows:{=6} V0000000000000old rows:{=7} V0000000000000old");
  const std::string command = std::string("bloomery follow ") + kUsers +
                              " ids.bloom --as text --cache 'redis+unix://" + server.socket() +
                              "#rows' ";
  ASSERT_EQ(shell_.run(command + "--once").status, 0);
  EXPECT_EQ(entries(), "2\n");
  shell_.run("sqlite3 shop.db 'DELETE FROM users WHERE id = 7'");
  const Outcome outcome = shell_.run(command + "--once");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(server.ask("EXISTS rows:{=6}"), "1\n");
  EXPECT_EQ(entries(), "1\n");
  EXPECT_THAT(shell_.run(command + "--cache nowhere").err, HasSubstr("--cache"));
}

// Somebody has the database for himself meanwhile.
TEST_F(FollowCommand, OnceThatIsInterruptedEndsAsOtherCommandsDo) {
  const Outcome outcome = shell_.run(
      std::string("(echo 'begin exclusive; select 1;'; sleep 0.6) | sqlite3 shop.db >held &\n"
                  "for i in $(seq 200); do [ -s held ] && break; sleep 0.01; done\n"
                  "env --default-signal=INT bloomery follow ") +
      kUsers + " ids.bloom --once & pid=$!\nsleep 0.2; kill -INT $pid; wait $pid; echo $?");
  EXPECT_EQ(outcome.out, "130\n");
  EXPECT_THAT(outcome.err, HasSubstr("stopped before the filter had what was there"));
  EXPECT_FALSE(shell_.has("ids.bloom"));
}

TEST_F(FollowCommand, RefusesWhatCannotBeFollowed) {
  shell_.run("sqlite3 shop.db 'CREATE VIEW old AS SELECT id FROM users'; seq 9 >keys.txt");
  const auto refused = [&](const std::string& words, const std::string& why) {
    const Outcome outcome = shell_.run("bloomery follow " + words);
    EXPECT_EQ(outcome.status, 2) << words;
    EXPECT_THAT(outcome.err, HasSubstr(why)) << words;
  };
  refused("keys.txt ids.bloom", "a text does not say what changes in it");
  refused("'sqlite:shop.db?query=SELECT id FROM users' ids.bloom", "a query");
  refused("'sqlite:shop.db?table=old&column=id' ids.bloom", "is a view");
  refused("'sqlite:shop.db?table=users&column=rowid' ids.bloom", "VACUUM");
  refused("'sqlite:shop.db?table=users&column=name' ids.bloom", "no column");
  refused(std::string(kUsers), "where the filter is to be");
  refused(std::string(kUsers) + " ids.bloom --metrics nowhere", "no address");
  refused(std::string(kUsers) + " ids.bloom --rebuild-at 0", "--rebuild-at");
  refused(std::string(kUsers) + " nowhere/ids.bloom", "cannot open its folder");
  refused(std::string(kUsers) + " ids.bloom --audit 1/10000 --once", "--audit");
  for (const std::string share :
       {"0", "1/0", "2/3", "1/", "1/2x", "0.5", "1/99999999999999999999"}) {
    refused(std::string(kUsers) + " ids.bloom --audit " + share, "allowed: 1/N");
  }
  refused(std::string(kUsers) + " guava:ids.bin --as i64 --audit 1/10", "says how far it is");
  refused(std::string(kUsers) + " ids.bloom --once --kind static", "static filter");
  refused(std::string(kUsers) + " ids.bloom --once --kind windowed", "forgets keys");
  EXPECT_EQ(leftovers(), "");
  refused(std::string(kUsers) + " bf:redis://127.0.0.1:1#ids --once", "takes no filter");
  EXPECT_FALSE(shell_.has("ids.bloom"));
}

TEST_F(FollowCommand, SaysThatAnotherSystemsFilterReachesNoFence) {
  const Outcome outcome = follow("guava:ids.bin --once --as i64");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("no fence is ever reached"));
  EXPECT_EQ(shell_.run("seq 100 | bloomery check -c guava:ids.bin --as i64").out, "100\n");
}

}  // namespace
}  // namespace bloomery
