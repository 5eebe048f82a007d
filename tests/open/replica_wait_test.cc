// SPDX-License-Identifier: Apache-2.0
// wait=N of a location: what changes a filter returns once N replicas have it, or throws.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bloomery/open/open_place.h"
#include "bloomery/redis/client/replica_wait.h"
#include "tests/open/live_layouts.h"
#include "tests/store/scratch_folder.h"
#include "tests/support/redis_server.h"
#include "tests/support/unused_port.h"

namespace bloomery {
namespace {

using ::testing::HasSubstr;
using testing::RedisServer;

const FilterOptions kForWaiting{.capacity = 4000, .false_positive_rate = 0.001};

class ReplicaWait : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!RedisServer::is_installed()) GTEST_SKIP() << "no redis-server here";
    port_ = std::to_string(testing::unused_port());
    primary_ = start("a", {"--port", port_, "--repl-diskless-sync-delay", "0"});
    replica_ = start("b", {"--replicaof", "127.0.0.1 " + port_});
    wait_for_replica();
  }
  void TearDown() override {
    if (replica_) replica_->send(SIGCONT);
  }

  // Waits until the replica has all that the primary has.
  void wait_for_replica() {
    const std::string mark = std::to_string(++marks_);
    primary_->ask("SET marker " + mark);
    for (int i = 0; i < 4'000 && replica_->ask("GET marker") != mark + "\n"; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  void load(const LiveLayout& live) {
    primary_->ask("FLUSHALL");
    save(live.filter.contents(), location_in(*primary_, live), {});
    wait_for_replica();
  }
  std::unique_ptr<FilterPlace> open(const LiveLayout& live, const std::string& more) const {
    return open_place(location_in(*primary_, live, more), {.access = PlaceOptions::read_write});
  }

  // Switches its append-only file on or off, and waits until it is whole.
  static void set_files(const RedisServer& server, const std::string& word) {
    server.ask("CONFIG SET appendfsync always");
    server.ask("CONFIG SET appendonly " + word);
    const auto is_busy = [&] {
      const std::string said = server.ask("INFO persistence");
      return said.find("aof_rewrite_in_progress:0") == std::string::npos ||
             said.find("aof_rewrite_scheduled:0") == std::string::npos;
    };
    while (is_busy()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  // Kills it, and starts it on what it has stored.
  void restart_replica(const std::vector<std::string>& options) {
    replica_->end(SIGKILL);
    replica_ = start("b", options);
  }

  std::unique_ptr<RedisServer> primary_;
  std::unique_ptr<RedisServer> replica_;
  std::string port_;

  std::unique_ptr<RedisServer> start(const std::string& name,
                                     const std::vector<std::string>& options) const {
    std::filesystem::create_directories(folder_.path() / name);
    return std::make_unique<RedisServer>((folder_.path() / name).string(), options);
  }

 private:
  int marks_ = 0;
  testing::ScratchFolder folder_;
};

TEST_F(ReplicaWait, AnInsertReturnsOnceTheReplicaHasIt) {
  for (const LiveLayout& live : live_layouts(kForWaiting)) {
    SCOPED_TRACE(live.format + live.settings);
    load(live);
    const auto place = open(live, "&wait=1,20000");
    const auto replica = open_place(location_in(*replica_, live, "&replica=1"));
    for (int i = 0; i < 20; ++i) {
      const std::string key = "k" + std::to_string(i);
      place->insert(key);
      EXPECT_EQ(replica->presence_of(key), Presence::maybe) << key;
    }
  }
}

TEST_F(ReplicaWait, WhatNoReplicaHasIsNotAcknowledged) {
  for (const LiveLayout& live : live_layouts(kForWaiting)) {
    SCOPED_TRACE(live.format + live.settings);
    load(live);
    const auto place = open(live, "&wait=1,50");
    replica_->send(SIGSTOP);
    try {
      place->insert("one");
      ADD_FAILURE() << "acknowledged";
    } catch (const redis::NotReplicatedError& error) {
      EXPECT_THAT(error.what(), HasSubstr("0 of 1 replicas have it after 50 ms (?wait=1)"));
    }
    std::vector<std::string> texts;
    for (int i = 0; i < 3'000; ++i) texts.push_back("many" + std::to_string(i));
    const std::vector<Key> keys(texts.begin(), texts.end());
    EXPECT_THROW(place->insert_many(keys), redis::NotReplicatedError);
    if (live.has_watermark) {
      PlaceHead head = place->head();
      const Watermark next{.source = Identity{.high = 1, .low = 2}, .position = 7};
      EXPECT_THROW(place->insert_and_advance(keys, head, next), redis::NotReplicatedError);
    }
    // The primary has what was not acknowledged, and questions wait for nobody.
    EXPECT_EQ(place->presence_of("one"), Presence::maybe);
    replica_->send(SIGCONT);
  }
}

TEST_F(ReplicaWait, WhatAnotherHasInsertedIsAcknowledgedOnlyIfTheReplicaHasIt) {
  for (const LiveLayout& live : live_layouts(kForWaiting)) {
    SCOPED_TRACE(live.format + live.settings);
    load(live);
    const auto hasty = open(live, "");
    const auto place = open(live, "&wait=1,100");
    replica_->send(SIGSTOP);
    hasty->insert("one");
    // Nothing is left to change: WAIT of this connection would have nothing to wait for.
    EXPECT_THROW(place->insert("one"), redis::NotReplicatedError);
    replica_->send(SIGCONT);
    const auto patient = open(live, "&wait=1,20000");
    patient->insert("one");
    EXPECT_EQ(open_place(location_in(*replica_, live, "&replica=1"))->presence_of("one"),
              Presence::maybe);
  }
}

TEST_F(ReplicaWait, FilesAreAwaitedWhereTheServerCan) {
  const bool can = primary_->ask("WAITAOF 0 0 1").find("unknown command") == std::string::npos;
  const std::vector<LiveLayout> all = live_layouts(kForWaiting);
  const LiveLayout& live = all.back();
  load(live);
  const auto place = open(live, "&wait=1,1000,aof");
  const auto insert = [&](const std::string& key) {
    try {
      place->insert(key);
      return std::string("acknowledged");
    } catch (const redis::NotReplicatedError& error) {
      return std::string(error.what());
    }
  };
  if (!can) {
    EXPECT_THAT(insert("one"), HasSubstr("Redis has WAITAOF from 7.2 on"));
    EXPECT_EQ(place->presence_of("one"), Presence::maybe);
    EXPECT_NO_THROW(open(live, "&wait=1,20000")->insert("one"));
    return;
  }
  EXPECT_THAT(insert("one"), HasSubstr("appendonly is disabled"));
  set_files(*primary_, "yes");
  EXPECT_THAT(insert("two"), HasSubstr("the append-only files of 0 of 1 replicas have it"));
  set_files(*replica_, "yes");
  const auto patient = open(live, "&wait=1,20000,aof");
  patient->insert("two");
  const std::vector<Key> keys{"three", "four"};
  patient->insert_many(keys);
  if (live.has_watermark) {
    PlaceHead head = patient->head();
    const Watermark next{.source = Identity{.high = 1, .low = 2}, .position = 7};
    EXPECT_TRUE(patient->insert_and_advance(keys, head, next));
  }
  // A replica that dies and comes again by its file has them.
  restart_replica({"--appendonly", "yes"});
  const auto replica = open_place(location_in(*replica_, live, "&replica=1"));
  for (const char* const key : {"two", "three", "four"}) {
    EXPECT_EQ(replica->presence_of(key), Presence::maybe) << key;
  }
}

// The name of the key beside the filter is known beforehand, as docs/redis.md says.
TEST_F(ReplicaWait, ChangesNeedTheRightToOneKeyBeside) {
  const std::vector<LiveLayout> all = live_layouts(kForWaiting);
  const LiveLayout& live = all.front();
  load(live);
  setenv("BLOOMERY_TEST_WRITER", "any", 1);
  const auto refusal = [&](const std::string& keys) {
    primary_->ask("ACL SETUSER writer reset on >any +@all " + keys);
    const auto place = open(live, "&wait=1,1000,aof&user=writer&password_env=BLOOMERY_TEST_WRITER");
    try {
      place->insert("one");
      return std::string();
    } catch (const redis::NotReplicatedError& error) {
      return std::string(error.what());
    }
  };
  EXPECT_THAT(refusal("~f"), HasSubstr("NOPERM"));
  EXPECT_THAT(refusal("~f ~{f}:wait"), ::testing::Not(HasSubstr("NOPERM")));
}

TEST_F(ReplicaWait, AServerAloneSaysWhenItsFileHasTheChange) {
  if (primary_->ask("WAITAOF 0 0 1").find("unknown command") != std::string::npos) {
    GTEST_SKIP() << "this server has no WAITAOF";
  }
  const std::vector<LiveLayout> all = live_layouts(kForWaiting);
  const LiveLayout& live = all.front();
  set_files(*primary_, "yes");
  load(live);
  open(live, "&wait=0,20000,aof")->insert("one");
  replica_->end(SIGKILL);
  replica_.reset();
  primary_->end(SIGKILL);
  primary_ = start("a", {"--appendonly", "yes"});
  EXPECT_EQ(open_place(location_in(*primary_, live))->presence_of("one"), Presence::maybe);
}

TEST_F(ReplicaWait, WithoutAReplicaNothingIsAcknowledged) {
  const std::vector<LiveLayout> all = live_layouts(kForWaiting);
  load(all.front());
  replica_->end(SIGKILL);
  replica_.reset();
  EXPECT_THROW(open(all.front(), "&wait=1,50")->insert("one"), redis::NotReplicatedError);
  EXPECT_NO_THROW(open(all.front(), "")->insert("one"));
}

}  // namespace
}  // namespace bloomery
