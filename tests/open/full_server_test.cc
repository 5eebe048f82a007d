// SPDX-License-Identifier: Apache-2.0
// A server beyond its maxmemory takes no transaction, and has its filters all the same.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "bloomery/filter/filter_kinds.h"
#include "bloomery/open/open_place.h"
#include "bloomery/redis/client/client.h"
#include "bloomery/redis/client/server_errors.h"
#include "tests/open/live_layouts.h"
#include "tests/store/scratch_folder.h"
#include "tests/support/redis_server.h"

namespace bloomery {
namespace {

using testing::RedisServer;

const FilterOptions kForFull{.capacity = 1600, .false_positive_rate = 0.001};

class FullServer : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!RedisServer::is_installed()) GTEST_SKIP() << "no redis-server here";
    server_ = std::make_unique<RedisServer>(folder_.path().string());
    for (int i = 0; i < 800; ++i) in_.push_back("in " + std::to_string(i));
    for (int i = 0; i < 800; ++i) out_.push_back("out " + std::to_string(i));
  }
  PlaceLocation at(const LiveLayout& live, const std::string& more = "") const {
    return location_in(*server_, live, more);
  }
  void load(const LiveLayout& live) {
    server_->ask("FLUSHALL");
    save(live.filter.contents(), at(live), {});
    const auto place = open_place(at(live), {.access = PlaceOptions::read_write});
    const std::vector<Key> keys(in_.begin(), in_.end());
    if (!live.has_watermark) return place->insert_many(keys);
    PlaceHead head = place->head();
    ASSERT_TRUE(place->insert_and_advance(keys, head, kReached.at_least));
  }
  bool has_called(const std::string& command) {
    const std::string calls = server_->ask("INFO commandstats");
    return calls.find("cmdstat_" + command + ":") != std::string::npos;
  }
  // Returns whether the server refuses a transaction whatever its commands are, as Redis before
  // version 8 does.
  bool refuses_transactions() {
    redis::Client client(redis::parse_location("redis+unix://" + server_->socket() + "#f"));
    const auto answer = client.run(
        redis::Request().add({"MULTI"}).add({"GET", "none"}).add({"EXEC"}), redis::Repeat::never);
    return answer.replies.at(2).is(redis::Reply::Type::error);
  }
  static std::vector<Presence> ask(FilterPlace& place, const std::vector<std::string>& texts,
                                   const CallContext& context = {}) {
    const std::vector<Key> keys(texts.begin(), texts.end());
    std::vector<Presence> answers(keys.size(), Presence::unknown);
    place.presence_of_many(keys, answers, context);
    return answers;
  }

  const Fence kReached{{.source = {7, 7}, .position = 5}};
  const Fence kAbove{{.source = {7, 7}, .position = 6}};
  const testing::ScratchFolder folder_;
  std::unique_ptr<RedisServer> server_;
  std::vector<std::string> in_;
  std::vector<std::string> out_;
};

TEST_F(FullServer, IsAskedAsOneThatIsNot) {
  for (const LiveLayout& live : live_layouts(kForFull)) {
    SCOPED_TRACE(live.format + live.settings);
    load(live);
    const auto place = open_place(at(live), {.access = PlaceOptions::read_write});
    const auto before = ask(*place, out_);
    ASSERT_GT(std::ranges::count(before, Presence::absent), 760);
    server_->ask("CONFIG SET maxmemory 1");
    server_->ask("CONFIG RESETSTAT");
    EXPECT_EQ(ask(*place, out_), before);
    EXPECT_EQ(has_called("eval"), refuses_transactions());
    EXPECT_EQ(std::ranges::count(ask(*place, in_), Presence::maybe), 800);
    EXPECT_EQ(place->presence_of("in 7"), Presence::maybe);
    EXPECT_EQ(ask(*open_place(at(live)), out_), before) << "who opens it now";
    if (live.has_watermark) {
      EXPECT_EQ(ask(*place, out_, {.fence = &kReached}), before);
      EXPECT_EQ(std::ranges::count(ask(*place, out_, {.fence = &kAbove}), Presence::absent), 0);
      EXPECT_EQ(place->head().watermark, kReached.at_least);
    }
    EXPECT_TRUE(place->copy().may_contain("in 7"));
    EXPECT_THROW(place->insert("another"), StoreError);
    server_->ask("CONFIG SET maxmemory 0");
    EXPECT_EQ(ask(*place, out_), before);
  }
}

TEST_F(FullServer, DeniesNothingForAFilterThatIsLostOrAReplica) {
  for (const LiveLayout& live : live_layouts(kForFull)) {
    SCOPED_TRACE(live.format + live.settings);
    load(live);
    const auto place = open_place(at(live));
    const auto replica = open_place(at(live, "&replica=1"));
    ASSERT_EQ(place->presence_of("in 7"), Presence::maybe);
    const auto before = ask(*replica, out_);
    server_->ask("CONFIG SET maxmemory 1");
    server_->ask("REPLICAOF 127.0.0.1 1");
    server_->ask("CONFIG SET replica-ignore-maxmemory no");
    EXPECT_EQ(std::ranges::count(ask(*place, out_), Presence::unknown),
              std::ranges::count(before, Presence::absent));
    EXPECT_EQ(ask(*replica, out_), before);
    server_->ask("REPLICAOF NO ONE");
    server_->ask("FLUSHALL");
    server_->ask("CONFIG SET maxmemory 0");
    server_->ask("SET big 0123456789");
    server_->ask("CONFIG SET maxmemory 1");
    try {
      EXPECT_EQ(std::ranges::count(ask(*place, out_), Presence::absent), 0);
    } catch (const StoreError&) {
      // Nobody may answer about a filter in partitions.
    }
    server_->ask("CONFIG SET maxmemory 0");
  }
}

TEST_F(FullServer, WhoMayOnlyReadIsAnsweredByAScriptThatOnlyReads) {
  load(live_layouts(kForFull).front());
  server_->ask(
      "ACL SETUSER reader on >any ~f +multi +exec +echo +role +strlen +getrange +bitfield_ro "
      "+eval_ro");
  setenv("BLOOMERY_TEST_READER", "any", 1);
  const auto place = open_place(
      at(live_layouts(kForFull).front(), "&user=reader&password_env=BLOOMERY_TEST_READER"));
  const auto before = ask(*place, out_);
  ASSERT_GT(std::ranges::count(before, Presence::absent), 760);
  server_->ask("CONFIG SET maxmemory 1");
  EXPECT_EQ(ask(*place, out_), before);
  EXPECT_EQ(std::ranges::count(ask(*place, in_), Presence::maybe), 800);
}

TEST_F(FullServer, SaysSoWhereNoScriptMayRun) {
  load(live_layouts(kForFull).front());
  server_->ask(
      "ACL SETUSER reader on >any ~f +multi +exec +echo +role +strlen +getrange +bitfield_ro");
  setenv("BLOOMERY_TEST_READER", "any", 1);
  const auto place = open_place(
      at(live_layouts(kForFull).front(), "&user=reader&password_env=BLOOMERY_TEST_READER"));
  EXPECT_EQ(place->presence_of("in 7"), Presence::maybe);
  server_->ask("CONFIG SET maxmemory 1");
  if (!refuses_transactions()) GTEST_SKIP() << "this server needs no script";
  try {
    place->presence_of("out 7");
    FAIL();
  } catch (const redis::RefusedError& error) {
    EXPECT_EQ(error.refusal, redis::Refusal::out_of_memory) << error.what();
  }
}

}  // namespace
}  // namespace bloomery
