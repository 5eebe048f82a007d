// SPDX-License-Identifier: Apache-2.0
// A primary that was replaced and does not know it, as sentinels or other nodes of its cluster know
// it: here some that only say so.

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "bloomery/format/redisson.h"
#include "bloomery/redis/client/location.h"
#include "bloomery/redis/client/replica_wait.h"
#include "bloomery/redis/places/bitmap_place.h"
#include "tests/store/scratch_folder.h"
#include "tests/support/fake_cluster_node.h"
#include "tests/support/fake_sentinel.h"
#include "tests/support/fake_server.h"
#include "tests/support/redis_server.h"
#include "tests/support/unused_port.h"

namespace bloomery::redis {
namespace {

using testing::answering;
using testing::FakeServer;
using testing::RedisServer;

// An old and a new primary of one filter. Sentinels or nodes name the primary, and may name the
// other one later.
class ReplacedPrimary : public ::testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    if (!RedisServer::is_installed()) GTEST_SKIP() << "no redis-server here";
    old_ = start("old", ports_[0]);
    new_ = start("new", ports_[1]);
    init_filter(*old_);
    init_filter(*new_);
    place_ = open_bitmap_place(redisson::kFormat, location(), true);
    place_->insert("in");
    ASSERT_EQ(place_->presence_of("after"), Presence::absent);
    // All that the old one has, and what was inserted after the failover.
    const std::string now = "redis://127.0.0.1:" + ports_[1] + "?trust=bits#f";
    const auto there = open_bitmap_place(redisson::kFormat, now, true);
    there->insert("in");
    there->insert("after");
  }

  std::unique_ptr<RedisServer> start(const std::string& name, const std::string& port) const {
    const auto path = folder_.path() / name;
    std::filesystem::create_directories(path);
    return std::make_unique<RedisServer>(
        path.string(), std::vector<std::string>{"--port", port, "--repl-diskless-sync-delay", "0"});
  }
  static void init_filter(const RedisServer& server) {
    server.ask("HSET '{f}:config' size 95850 hashIterations 7");
  }
  static bool has_sentinels() { return GetParam() == Way::sentinel; }
  std::string location(const std::string& more = "") const {
    const std::string settings = "?timeout=2000&trust=bits&client_name=tested" + more + "#f";
    const std::string other = "127.0.0.1:" + std::to_string(other_.port());
    if (has_sentinels()) return "redis+sentinel://" + other + "/primary" + settings;
    return "redis+cluster://127.0.0.1:" + std::to_string(itself_.port()) + "," + other + settings;
  }
  void name_the_new_one() {
    const std::lock_guard lock(mutex_);
    named_ = ports_[1];
  }

  testing::ScratchFolder folder_{};
  const std::string ports_[2]{std::to_string(testing::unused_port()),
                              std::to_string(testing::unused_port())};
  std::unique_ptr<RedisServer> old_{};
  std::unique_ptr<RedisServer> new_{};
  std::mutex mutex_{};
  std::string named_ = ports_[0];
  // The old primary by another name: it believes what it always did.
  FakeServer itself_{answering(testing::all_slots_at(ports_[0], "id of " + ports_[0]))};
  FakeServer other_{answering([this] {
    const std::lock_guard lock(mutex_);
    return has_sentinels() ? testing::address_of(named_) : testing::all_slots_at(named_, "other");
  })};
  std::unique_ptr<FilterPlace> place_{};
};

TEST_P(ReplacedPrimary, ThatDoesNotKnowItIsNotBelievedAfterASilence) {
  name_the_new_one();
  std::this_thread::sleep_for(std::chrono::milliseconds(250));
  EXPECT_EQ(place_->presence_of("after"), Presence::maybe);
  place_->insert("more");
  EXPECT_EQ(old_->ask("BITCOUNT f"), "7\n") << "its filter has no key but the first";
}

TEST_P(ReplacedPrimary, ThatWasFrozenInMidQuestionIsNotBelieved) {
  old_->send(SIGSTOP);
  std::thread asker([&] { EXPECT_EQ(place_->presence_of("after"), Presence::maybe); });
  std::this_thread::sleep_for(std::chrono::milliseconds(250));
  name_the_new_one();
  old_->send(SIGCONT);
  asker.join();
}

TEST_P(ReplacedPrimary, ThatGoesOnAnsweringIsLeftWithinASecond) {
  name_the_new_one();
  const auto start = std::chrono::steady_clock::now();
  while (place_->presence_of("after") == Presence::absent) {
    ASSERT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(place_->presence_of("after"), Presence::maybe);
}

// The replica of the old primary may be cut off from the others together with it.
TEST_P(ReplacedPrimary, AcknowledgesNothingByItsReplicas) {
  const auto path = folder_.path() / "replica";
  std::filesystem::create_directories(path);
  const RedisServer replica(path.string(), {"--replicaof", "127.0.0.1 " + ports_[0]});
  const auto waiting = open_bitmap_place(redisson::kFormat, location("&wait=1,1500"), true);
  for (int i = 0;; ++i) {
    ASSERT_LT(i, 20) << "the replica does not come";
    try {
      waiting->insert("before");
      break;
    } catch (const NotReplicatedError&) {
    }
  }
  name_the_new_one();
  EXPECT_THROW(waiting->insert("more"), StoreError);
}

INSTANTIATE_TEST_SUITE_P(By, ReplacedPrimary, ::testing::Values(Way::sentinel, Way::cluster),
                         [](const auto& of) {
                           return std::string(of.param == Way::sentinel ? "sentinels" : "nodes");
                         });

}  // namespace
}  // namespace bloomery::redis
