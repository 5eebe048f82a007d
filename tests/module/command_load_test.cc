// SPDX-License-Identifier: Apache-2.0
// What makes whole filters in servers that have filters themselves: bloomery load, create, convert,
// merge and push into bf: and bloom:.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "bloomery/errors.h"
#include "bloomery/redis/places/item_load.h"
#include "bloomery/redis/places/push_filter.h"
#include "bloomery/store/native_file.h"
#include "tests/cli/shell.h"
#include "tests/module/server_client.h"
#include "tests/module/server_state.h"

namespace bloomery {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using testing::ModuleServer;
using testing::ModuleTest;
using testing::numbered_lines;
using testing::Outcome;
using testing::Shell;

class CommandLoad : public ModuleTest {
 protected:
  void SetUp() override {
    ModuleTest::SetUp();
    if (IsSkipped()) return;
    server_ = std::make_unique<ModuleServer>(folder());
    shell_.write("keys", numbered_lines("in", 500));
  }
  std::string at(const std::string& word, const std::string& key = "f") const {
    return " '" + word + ":redis+unix://" + server_->socket() + "#" + key + "' ";
  }
  void expect_refused(const std::string& line, const std::string& why) const {
    const Outcome refused = shell_.run(line);
    EXPECT_EQ(refused.status, 2) << line;
    EXPECT_THAT(refused.err, HasSubstr(why)) << line;
  }

  std::unique_ptr<ModuleServer> server_{};
  Shell shell_;
};

TEST_F(CommandLoad, IntoEitherMakesAFilterThatDenies) {
  for (const std::string& word : {std::string("bf"), std::string("bloom")}) {
    SCOPED_TRACE(word);
    const Outcome loaded = shell_.run("bloomery load keys -p 0.0001 --json" + at(word));
    EXPECT_TRUE(loaded.json().contains("room_count")) << word;
    ASSERT_EQ(loaded.status, 0) << loaded.err;
    EXPECT_EQ(loaded.json().at("key_count"), 500);
    EXPECT_EQ(loaded.json().at("capacity"), 500);
    EXPECT_EQ(shell_.run("bloomery check -c" + at(word) + "--input keys").out, "500\n");
    EXPECT_EQ(shell_.run("bloomery check" + at(word), "in7\nout7\n").out, "in7\n");
    EXPECT_EQ(server_->ask("DBSIZE"), word == "bf" ? ":2" : ":1") << "nothing is left beside it";

    expect_refused("bloomery load keys" + at(word), "already exists");
    expect_refused("bloomery create -n 9 -p 0.01" + at(word), "#f: already exists");
    expect_refused("bloomery load keys --replace" + at(word), "--discard");
    server_->ask("PEXPIRE f 1000000");
    ASSERT_EQ(
        shell_.run("bloomery load - -n 9 -p 0.0001 --replace --discard" + at(word), "new\n").status,
        0);
    EXPECT_EQ(shell_.run("bloomery check" + at(word), "in7\nnew\n").out, "new\n");
    EXPECT_EQ(server_->ask("PTTL f") == ":-1", word == "bloom") << "as after push";
    ASSERT_EQ(shell_.run("bloomery destroy --yes" + at(word)).status, 0);
    EXPECT_EQ(server_->ask("DBSIZE"), ":0");
  }
}

TEST_F(CommandLoad, OfItemsShowsNoneBeforeAllAreThere) {
  ASSERT_EQ(shell_.run("bloomery create -n 9 -p 0.01" + at("bf")).status, 0);
  server_->ask("BF.ADD f old");
  const Outcome outcome = shell_.run(
      "mkfifo pipe\n"
      "bloomery load - -n 1000 -p 1e-6 --replace --discard" +
      at("bf") +
      "<pipe >report &\n"
      "exec 3>pipe\n"
      "seq 20000 >&3\n" +
      testing::until_keys(*server_, 3) + "redis-cli -s " + server_->socket() +
      " BF.MEXISTS f old 1\n"
      "seq 20001 20010 >&3\n"
      "exec 3>&-\n"
      "wait $!\n");
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "1\n0\n");
  EXPECT_EQ(server_->ask("BF.MEXISTS f old 1 20010"), "*3 :0 :1 :1");
  EXPECT_EQ(server_->ask("DBSIZE"), ":2");
}

TEST_F(CommandLoad, ThatFailsLeavesTheOldFilterAlone) {
  shell_.write("bad", "1\nx\n");
  for (const std::string& word : {std::string("bf"), std::string("bloom")}) {
    SCOPED_TRACE(word);
    ASSERT_EQ(shell_.run("bloomery create -n 9 -p 0.01" + at(word)).status, 0);
    server_->ask("BF.ADD f old");
    const std::string size = server_->ask("DBSIZE");
    expect_refused("bloomery load bad -n 9 --as u64 --replace --discard" + at(word), "bad:2");
    EXPECT_EQ(server_->ask("BF.EXISTS f old"), ":1");
    EXPECT_EQ(server_->ask("DBSIZE"), size);
    server_->ask("DEL f {f}:markers");
    server_->ask("SET f text");
    expect_refused("bloomery load keys --replace --discard" + at(word), "WRONGTYPE");
    EXPECT_EQ(server_->ask("GET f"), "$4 text");
    server_->ask("DEL f");
  }
  expect_refused("bloomery load keys --kind classic" + at("bf"), "--kind");
  expect_refused("bloomery load keys" + at("bf", "f").insert(at("bf").find('#'), "?bits=9"),
                 "bits");
}

TEST_F(CommandLoad, OfItemsThatAreLostOnTheWayFails) {
  const auto location = redis::parse_location("redis+unix://" + server_->socket() + "#f");
  const auto beside = [&] {
    const std::string keys = server_->ask("KEYS *");
    return keys.substr(keys.rfind(' ') + 1);
  };
  {
    redis::ItemLoad load(location, 100, 0.001, false);
    load.insert_many(std::vector<Key>{"a", "b"});
    server_->ask("DEL " + beside());
    EXPECT_THROW(load.finish(), StoreError);
    try {
      load.insert_many(std::vector<Key>{"c"});
      ADD_FAILURE() << "a key has gone into nothing";
    } catch (const StoreError& error) {
      EXPECT_THAT(error.what(), HasSubstr("the key beside it was lost"));
    }
  }
  {
    redis::ItemLoad load(location, 100, 0.001, false);
    load.insert_many(std::vector<Key>{"a", "b"});
    server_->ask("BF.ADD " + beside() + " another");
    EXPECT_THROW(load.finish(), StoreError) << "not what was sent";
  }
  {
    redis::ItemLoad load(location, 100, 0.001, false);
    load.insert_many(std::vector<Key>{"a", "b"});
    server_->ask("BF.ADD f meanwhile");
    EXPECT_THROW(load.finish(), StoreError);
    EXPECT_EQ(server_->ask("BF.MEXISTS f meanwhile a"), "*2 :1 :0");
  }
  EXPECT_EQ(server_->ask("DBSIZE"), ":1") << "each has taken away what it left";
}

TEST_F(CommandLoad, WhatIsInThePlaceOfTheMarkersIsLeftAlone) {
  server_->ask("RPUSH {f}:markers another's");
  expect_refused("bloomery create -n 9 -p 0.01" + at("bf"), "WRONGTYPE");
  expect_refused("bloomery load keys --replace --discard" + at("bf"), "WRONGTYPE");
  EXPECT_EQ(server_->ask("LLEN {f}:markers"), ":1");
  EXPECT_EQ(server_->ask("DBSIZE"), ":1");
}

TEST_F(CommandLoad, FiltersOfTheModuleAreCreatedOfEveryKind) {
  const Outcome made = shell_.run("bloomery create -n 1000 -p 0.001 --as i64 --json" + at("bloom"));
  ASSERT_EQ(made.status, 0) << made.err;
  EXPECT_EQ(made.json().at("kind"), "blocked");
  EXPECT_EQ(shell_.run("bloomery info --json" + at("bloom")).json().at("keys"), "i64");
  EXPECT_THAT(server_->ask("BLOOM.INFO f"), ContainsRegex("Identity \\$32 [0-9a-f]{32} "));
  EXPECT_EQ(shell_.run("bloomery insert" + at("bloom"), "7\n").status, 0);
  EXPECT_EQ(shell_.run("bloomery check" + at("bloom"), "7\n8\n").out, "7\n");
  expect_refused("bloomery create -n 1000 -p 0.001" + at("bloom"), "exists");
  EXPECT_EQ(shell_.run("bloomery check -q" + at("bloom"), "7\n").status, 0);
  ASSERT_EQ(
      shell_.run("bloomery create -n 10 -p 0.01 --kind windowed --window 1h" + at("bloom", "w"))
          .status,
      0);
  EXPECT_THAT(server_->ask("BLOOM.INFO w"), HasSubstr("windowed"));
  expect_refused("bloomery create -n 10 -p 0.01 --kind static" + at("bloom", "s"), "static");
}

TEST_F(CommandLoad, BitsOfAnyPlaceGoToTheModule) {
  const std::string load = "bloomery load keys -p 0.0001 ";
  ASSERT_EQ(shell_.run(load + "own.bloom && " + load + at("bitmap", "b")).status, 0);
  ASSERT_EQ(shell_.run("bloomery convert own.bloom" + at("bloom", "c")).status, 0);
  EXPECT_EQ(shell_.run("bloomery check -c --input keys" + at("bloom", "c")).out, "500\n");
  expect_refused("bloomery convert own.bloom" + at("bloom", "c"), "already exists");
  expect_refused("bloomery convert --replace own.bloom" + at("bloom", "c"), "--discard");
  expect_refused("bloomery convert own.bloom" + at("bf", "x"), "takes keys, not bits");
  ASSERT_EQ(
      shell_.run("bloomery merge" + at("bloom", "m") + "own.bloom" + at("bitmap", "b")).status, 0);
  EXPECT_EQ(shell_.run("bloomery check -c --input keys" + at("bloom", "m")).out, "500\n");
  expect_refused("bloomery merge" + at("bloom", "m") + "own.bloom own.bloom", "already exists");

  // A push goes to the server where the filter lives.
  const std::string server = " 'redis+unix://" + server_->socket() + "#p'";
  const Outcome pushed = shell_.run("bloomery push" + at("bitmap", "b") + server);
  ASSERT_EQ(pushed.status, 0) << pushed.err;
  EXPECT_EQ(shell_.run("bloomery check -c --input keys" + at("bloom", "p")).out, "500\n");
  ASSERT_EQ(shell_.run("bloomery create -n 9 -p 0.01" + at("bf", "x")).status, 0);
  expect_refused("bloomery push" + at("bf", "x") + server, "cannot be read as a whole");
  expect_refused("bloomery push" + at("bitmap", "none") + server, "none");
  EXPECT_EQ(server_->ask("BLOOM.CHECK p in1 out1"), "*2 :1 :0");
}

TEST_F(CommandLoad, AFilterIsSentOnlyWhereNoneIs) {
  ASSERT_EQ(shell_.run("bloomery load keys own.bloom -n 1000 -p 0.0001").status, 0);
  const AnyFilter filter = load(shell_.path("own.bloom"));
  redis::Client client(redis::parse_location("redis+unix://" + server_->socket() + "#f"));
  redis::PushOptions options{.replaces = false};
  options.load_id = begin_push(client);
  server_->ask("BF.ADD f meanwhile");  // which the load keeps: it is no filter
  push_filter(filter.contents(), client, options);
  EXPECT_EQ(server_->ask("BLOOM.CHECK f in1 meanwhile other"), "*3 :1 :1 :0");
  server_->ask("BF.ADD f more");
  EXPECT_THROW(push_filter(filter.contents(), client, {.replaces = false}), StoreError);
  EXPECT_EQ(server_->ask("BLOOM.CHECK f in1 meanwhile more"), "*3 :1 :1 :1");
  // A refused push does not end a load that is under way either.
  options = {.load_id = begin_push(client)};
  EXPECT_THROW(push_filter(filter.contents(), client, {.replaces = false}), StoreError);
  push_filter(filter.contents(), client, options);
  EXPECT_EQ(server_->ask("DBSIZE"), ":1");
}

}  // namespace
}  // namespace bloomery
