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
    const std::string port = std::to_string(testing::unused_port());
    primary_ = start("a", {"--port", port, "--repl-diskless-sync-delay", "0"});
    replica_ = start("b", {"--replicaof", "127.0.0.1 " + port});
    wait_for_replica();
  }
  void TearDown() override {
    if (replica_) replica_->send(SIGCONT);
  }

  // Until the replica has all that the primary has.
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

  std::unique_ptr<RedisServer> primary_;
  std::unique_ptr<RedisServer> replica_;

 private:
  std::unique_ptr<RedisServer> start(const std::string& name,
                                     const std::vector<std::string>& options) const {
    std::filesystem::create_directories(folder_.path() / name);
    return std::make_unique<RedisServer>((folder_.path() / name).string(), options);
  }

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
