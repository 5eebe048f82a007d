// SPDX-License-Identifier: Apache-2.0
// A followed filter that is built again, through the command. rebuild_proof_test.cc has readers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/cli/shell.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using testing::Outcome;
using testing::Shell;

constexpr const char* kRows = "'sqlite:shop.db?table=users&column=id' ";

class RebuildCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    const Outcome made = shell_.run(
        "sqlite3 shop.db 'PRAGMA journal_mode = wal; CREATE TABLE users(id INTEGER PRIMARY KEY); "
        "INSERT INTO users SELECT value FROM generate_series(1, 1000)'");
    ASSERT_EQ(made.status, 0) << made.err;
  }
  Outcome run(const std::string& command, const std::string& rest) const {
    return shell_.run("bloomery " + command + " " + kRows + rest);
  }
  std::string told(const std::string& name) const {
    return shell_.run("bloomery info --json ids.bloom").json().at(name).dump();
  }

  const Shell shell_{};
};

TEST_F(RebuildCommand, LeavesOutRowsThatAreGoneAndKeepsWhatTheFilterIs) {
  ASSERT_EQ(run("follow", "ids.bloom --once -p 1e-4 --kind classic --seed 7").status, 0);
  shell_.run("sqlite3 shop.db 'DELETE FROM users WHERE id > 500; INSERT INTO users VALUES (2000)'");
  const Outcome outcome = run("rebuild", "ids.bloom");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr(" 1 scans"));
  EXPECT_EQ(shell_.run("seq 500 | bloomery check -c ids.bloom").out, "500\n");
  EXPECT_EQ(shell_.run("echo 2000 | bloomery check -c ids.bloom").out, "1\n");
  EXPECT_EQ(shell_.run("seq 501 510 | bloomery check -c ids.bloom").out, "0\n");
  EXPECT_EQ(told("kind"), "\"classic\"");
  EXPECT_EQ(told("seed"), "7");
  EXPECT_EQ(told("false_positive_rate"), "0.0001");
  ASSERT_EQ(run("rebuild", "ids.bloom -p 1e-3").status, 0);
  EXPECT_EQ(told("false_positive_rate"), "0.001");
}

// Rows that the database has yet to tell of are in the table as well.
TEST_F(RebuildCommand, CountsEachRowOnce) {
  const std::string more =
      "sqlite3 shop.db 'INSERT INTO users SELECT value FROM generate_series(1001, 6000)'";
  ASSERT_EQ(run("follow", "ids.bloom --once").status, 0);
  shell_.run(more);
  EXPECT_THAT(run("rebuild", "ids.bloom").err, HasSubstr(" 6000 keys of 9000, rate 0.001"));
}

TEST_F(RebuildCommand, OfASecretFilterMakesOne) {
  ASSERT_EQ(run("follow", "ids.bloom --once --secret").status, 0);
  ASSERT_EQ(run("rebuild", "ids.bloom").status, 0);
  EXPECT_THAT(shell_.run("bloomery info ids.bloom").out, HasSubstr("HighwayHash"));
}

TEST_F(RebuildCommand, RefusesWhereNoFilterIs) {
  const Outcome outcome = run("rebuild", "ids.bloom");
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("ids.bloom: no filter is there that could be built again"));
  EXPECT_FALSE(shell_.has("ids.bloom"));
  EXPECT_EQ(
      shell_.run("sqlite3 shop.db \"SELECT name FROM sqlite_schema WHERE name GLOB 'bl*'\"").out,
      "");
  EXPECT_EQ(run("rebuild", "").status, 2);
}

TEST_F(RebuildCommand, SaysWhoHasAFile) {
  const Outcome outcome = shell_.run(
      std::string("env --default-signal=INT bloomery follow ") + kRows +
      "ids.bloom 2>log --every 0.05 & pid=$!\n"
      "for i in $(seq 400); do grep -q following: log && break; sleep 0.05; done\n"
      "bloomery rebuild " +
      kRows +
      "ids.bloom 2>refused; echo $?\n"
      "grep -q \"ids.bloom: another process.*: kill -USR1 $pid$\" refused || cat refused\n"
      "$(sed 's/.*: kill/kill/' refused)\n"
      "for i in $(seq 400); do grep -q ' 2 scans' log && break; sleep 0.05; done\n"
      "kill -INT $pid; wait $pid; echo $?");
  EXPECT_EQ(outcome.out, "2\n0\n") << outcome.err;
  EXPECT_THAT(shell_.read("log"), HasSubstr("it is built again, as USR1 asks"));
  // A program that is no follower is not named: the signal would end it.
  const Outcome held =
      shell_.run(std::string("flock ids.bloom bloomery rebuild ") + kRows + "ids.bloom");
  EXPECT_EQ(held.status, 2);
  EXPECT_THAT(held.err, HasSubstr(": kill -USR1 PID\n"));
}

}  // namespace
}  // namespace bloomery
