// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <latch>
#include <optional>
#include <string>
#include <thread>

#include "tests/guard/fakes.h"

namespace bloomery {
namespace {

constexpr std::chrono::seconds kLong(20);

// A reader who missed the cache, boards a flight between a writer's two steps (nobody boards what
// is under way; the entry goes), and looks into the cache once more: the old entry is still there,
// and the reply is late. `late_` holds it until the writer has come back and others have asked.
class LateReply : public ::testing::Test {
 protected:
  ~LateReply() override {
    if (thread_.joinable()) end();
  }
  void start(Key key) {
    world.cache.after_get = [this] {
      if (std::this_thread::get_id() != reader_.load()) return;
      if (++gets_ == 1) {
        missed_.count_down();
        go_on_.wait();
      } else {
        has_read_old_.count_down();
        late_.wait();
      }
    };
    world.cache.before_erase = [this] {
      world.cache.before_erase = nullptr;
      go_on_.count_down();
      has_read_old_.wait();
    };
    thread_ = std::thread([this, key] {
      reader_ = std::this_thread::get_id();
      old_answer = world.guard.get(key);
    });
    missed_.wait();
    world.guard.get(key);  // another one fills the cache, so that the reader looks again
  }
  void end() {
    late_.count_down();
    thread_.join();
  }

  World world;
  std::optional<std::string> old_answer;

 private:
  std::atomic<std::thread::id> reader_{};
  int gets_ = 0;
  std::latch missed_{1};
  std::latch go_on_{1};
  std::latch has_read_old_{1};
  std::latch late_{1};
  std::thread thread_;
};

TEST_F(LateReply, OfNoSuchRowIsNotSharedAfterATokensEnd) {
  world.filter.mistake("bob");
  start("bob");
  InsertToken token = world.guard.will_insert("bob");
  world.database.write("bob", "2");
  token.release();
  EXPECT_EQ(world.guard.get("bob", CallContext::within(kLong)), "2");
  end();
  EXPECT_EQ(old_answer, std::nullopt) << "asked before the token ended";
}

TEST_F(LateReply, OfAnOldValueIsNotSharedAfterErased) {
  start("alice");
  world.database.write("alice", "new");
  world.guard.erased("alice");
  EXPECT_EQ(world.guard.get("alice", CallContext::within(kLong)), "new");
  end();
  EXPECT_EQ(old_answer, "1");
}

TEST_F(LateReply, IsNotSharedEitherWhereErasingThrows) {
  start("alice");
  world.database.write("alice", "new");
  world.cache.loses_replies = true;
  EXPECT_THROW(world.guard.erased("alice"), std::runtime_error);
  EXPECT_EQ(world.guard.get("alice", CallContext::within(kLong)), "new");
  end();
}

// A second guard, or another process, shares the cache and knows nothing of our flights.
TEST(CacheGuardTicket, WhatWasErasedElsewhereIsNotBroughtBack) {
  World world;
  world.filter.mistake("bob");
  for (const Key key : {Key("alice"), Key("bob")}) {
    world.database.after_read = [&] {
      world.database.after_read = nullptr;
      world.cache.erase_elsewhere(key);
    };
    world.guard.get(key);
    EXPECT_EQ(world.cache.state_of(key), Cached::miss) << key;
    world.guard.get(key);
    EXPECT_NE(world.cache.state_of(key), Cached::miss) << key;
  }
}

}  // namespace
}  // namespace bloomery
