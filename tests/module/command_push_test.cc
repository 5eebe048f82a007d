// SPDX-License-Identifier: Apache-2.0
// bloomery push straight from keys: what is added to the key while they are read is not lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/cli/shell.h"
#include "tests/module/server_client.h"
#include "tests/module/server_state.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using testing::ModuleServer;
using testing::ModuleTest;
using testing::Outcome;
using testing::Shell;

class CommandPush : public ModuleTest {
 protected:
  static std::string place(const ModuleServer& server) {
    return " 'unix://" + server.socket() + "#users' ";
  }

  Shell shell_;
};

TEST_F(CommandPush, OfKeysKeepsWhatIsAddedWhileTheyAreRead) {
  ModuleServer server(folder());
  server.ask("BLOOM.RESERVE users 0.0001 100");
  server.ask("BLOOM.ADD users old");
  const std::string add = "redis-cli -s " + server.socket() + " BLOOM.ADD users ";
  const Outcome outcome = shell_.run(
      "mkfifo pipe\n"
      "bloomery push -" +
      place(server) +
      "-n 1000 -p 1e-6 --json <pipe >report &\n"
      "exec 3>pipe\n"
      "echo scanned1 >&3\n" +
      testing::until_keys(server, 2) + add + "meanwhile >/dev/null\n" +
      "echo scanned2 >&3\n"
      "exec 3>&-\n"
      "wait $!\n"
      "echo $?\n" +
      add + "later >/dev/null\n");
  EXPECT_EQ(outcome.out, "0\n") << outcome.err;
  EXPECT_THAT(shell_.read("report"), HasSubstr("\"key_count\": 2"));
  EXPECT_EQ(server.ask("BLOOM.CHECK users scanned1 scanned2 meanwhile later old"),
            "*5 :1 :1 :1 :1 :0");
  EXPECT_EQ(server.ask("DBSIZE"), ":1");
}

TEST_F(CommandPush, CountsTheKeysOfADatabaseAndSaysHowTheyAreWritten) {
  ModuleServer server(folder());
  const Outcome made = shell_.run(
      "sqlite3 shop.db 'create table users(id integer primary key);"
      " insert into users select value from generate_series(1, 500)'\n"
      "bloomery push 'sqlite:shop.db?table=users&column=id'" +
      place(server) + "--as i64 -p 0.001 --kind classic --json");
  ASSERT_EQ(made.status, 0) << made.err;
  EXPECT_EQ(made.json().at("key_count"), 500);
  EXPECT_EQ(made.json().at("capacity"), 750);
  EXPECT_NEAR(made.json().at("room_count").get<double>(), 250, 5);
  EXPECT_LE(made.json().at("predicted_rate"), 0.001);
  EXPECT_EQ(made.json().at("kind"), "classic");
  EXPECT_THAT(server.ask("BLOOM.INFO users"), HasSubstr("+Keys $3 i64"));
  EXPECT_EQ(server.call({"BLOOM.CHECK", "users", std::string("\x07\0\0\0\0\0\0\0", 8)}).shown(),
            "*1 :1");
  // A text of keys, and a filter's file as ever.
  shell_.write("keys.txt", "alice\nbob\n");
  EXPECT_EQ(shell_.run("bloomery push keys.txt" + place(server) + "-p 0.001").status, 0);
  EXPECT_EQ(server.ask("BLOOM.CHECK users alice bob"), "*2 :1 :1");
  EXPECT_EQ(
      shell_.run("bloomery load keys.txt f.bloom && bloomery push f.bloom" + place(server)).status,
      0);
}

TEST_F(CommandPush, ThatFailsLeavesTheOldFilterAndNoLoad) {
  ModuleServer server(folder());
  server.ask("BF.ADD users old");
  shell_.write("keys.txt", "1\nx\n");
  const std::pair<std::string, const char*> faults[] = {
      {"bloomery push keys.txt" + place(server) + "-n 9 --as u64", "keys.txt:2"},
      {"bloomery push missing.txt" + place(server) + "-n 9", "missing.txt"},
      {"cat keys.txt | bloomery push - " + place(server), "say how many with -n"},
      {"bloomery push keys.txt" + place(server) + "-n 9 --kind no", "kind"},
      {"bloomery push keys.txt" + place(server), "not a bloomery"},
      {"bloomery push keys.txt 'unix://" + server.socket() + "?bits=9#users' -n 9", "bits"},
      {"bloomery push keys.txt 'unix://" + server.socket() + "?timeout=x#users' -n 9", "timeout"},
  };
  for (const auto& [line, expected] : faults) {
    const Outcome outcome = shell_.run(line);
    EXPECT_EQ(outcome.status, 2) << line;
    EXPECT_THAT(outcome.err, HasSubstr(expected)) << line;
    EXPECT_EQ(server.ask("DBSIZE"), ":1") << line;
    EXPECT_EQ(server.ask("BF.EXISTS users old"), ":1") << line;
  }
}

}  // namespace
}  // namespace bloomery
