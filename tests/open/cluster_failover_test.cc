// SPDX-License-Identifier: Apache-2.0
// Inserts into another system's filter in a cluster whose replica takes over by force, again and
// again, without asking its primary: such a failover takes inserts away, and wait=1 keeps them.
// BLOOMERY_LONG=1 lets each scene take 45 seconds, and prints what was seen.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bloomery/format/format.h"
#include "bloomery/open/open_place.h"
#include "bloomery/redis/client/hash_slot.h"
#include "tests/store/scratch_folder.h"
#include "tests/support/redis_cluster.h"

namespace bloomery {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using testing::RedisServer;

constexpr std::size_t kPrimaries = 3;

bool is_long() {
  return std::getenv("BLOOMERY_LONG") != nullptr;
}

// An insert that returned.
struct Insert {
  std::string key;
  Clock::time_point begun{};
  Clock::time_point returned{};
};

struct Failover {
  Clock::time_point asked{};
  Clock::time_point done{};      // as the replica says
  Clock::time_point is_known{};  // to the old primary, at the latest
};

// Inserts whose keys are gone, by when they were made.
struct Lost {
  int before = 0;  // returned before the failover was asked for
  int during = 0;  // begun before the replica said that it is primary
  int after = 0;   // begun before the old primary said that it is none
  int later = 0;
  Clock::duration longest{};  // from the question for the failover to the return

  int all() const { return before + during + after + later; }
};

class ClusterFailover : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!RedisServer::is_installed()) GTEST_SKIP() << "no redis-server here";
    const std::string folder = folder_.path().string();
    cluster_ = std::make_unique<testing::RedisCluster>(
        folder, kPrimaries, std::vector<std::string>{"--repl-diskless-sync-delay", "0"});
    ASSERT_TRUE(cluster_->is_up());
    first_ = cluster_->first_owner(redis::hash_slot("f"));
    cluster_->add_replica_of(first_, folder + "/replica");
    ASSERT_TRUE(cluster_->is_up());
    save(find_format("redisson")
             ->create({.capacity = 1'000'000, .false_positive_rate = 1e-6}, {})
             .contents(),
         parse_place_location(location()), {});
  }
  std::string location(const std::string& more = "") {
    std::string hosts;
    for (std::size_t i = 0; i < kPrimaries; ++i) hosts += ",127.0.0.1:" + (*cluster_)[i].port;
    return "redisson:redis+cluster://" + hosts.substr(1) + "?timeout=20000&trust=bits" + more +
           "#f";
  }
  static long long offset_in(const RedisServer& server, const std::string& name) {
    const std::string info = server.ask("INFO replication");
    const std::size_t at = info.find("\n" + name + ":");
    return at == std::string::npos ? -1 : std::atoll(info.c_str() + at + name.size() + 2);
  }
  const RedisServer& server(std::size_t i) { return *(*cluster_)[i].server; }

  // Lets the filter's replica take over, and waits until the old one follows it.
  Failover fail_over(const std::string& how) {
    std::size_t old = first_;
    std::size_t next = kPrimaries;
    if (server(old).ask("ROLE").starts_with("slave")) std::swap(old, next);
    Failover failover;
    // A majority may refuse its votes, and the replica gives up after five seconds.
    for (int i = 0; i < 10 && !server(old).ask("ROLE").starts_with("slave"); ++i) {
      const auto asked = Clock::now();
      const std::string said = server(next).ask("CLUSTER FAILOVER " + how);
      // The replica is a primary already, of which the old one has not heard.
      const bool is_over = said != "OK\n" && server(next).ask("ROLE").starts_with("master");
      if (!is_over) {
        EXPECT_EQ(said, "OK\n");
        failover.asked = asked;
        failover.done = Clock::now();
      }
      const auto patience = Clock::now() + std::chrono::seconds(6);
      while (!server(old).ask("ROLE").starts_with("slave") && Clock::now() < patience) {
        std::this_thread::sleep_for(milliseconds(1));
      }
    }
    failover.is_known = Clock::now();
    const auto patience = failover.is_known + std::chrono::seconds(60);
    while (!testing::RedisCluster::is_in_step(server(old)) && Clock::now() < patience) {
      std::this_thread::sleep_for(milliseconds(5));
    }
    // All that came meanwhile, too.
    const long long sent = offset_in(server(next), "master_repl_offset");
    while (offset_in(server(old), "slave_repl_offset") < sent && Clock::now() < patience) {
      std::this_thread::sleep_for(milliseconds(5));
    }
    cluster_->await_epoch_of(next);
    return failover;
  }

  // Inserts all the while, and lets replicas take over so often, or for 45 seconds. All inserts
  // that returned stand in `inserts_`.
  void run_scene(const std::string& more, int count) {
    std::atomic<std::size_t> returned{0};
    std::jthread writer([&](const std::stop_token& stop) {
      std::unique_ptr<FilterPlace> place;
      for (int i = 0; !stop.stop_requested(); ++i) {
        Insert insert{.key = "k" + std::to_string(i)};
        insert.begun = Clock::now();
        try {
          if (!place) place = open_place(location(more), {.access = PlaceOptions::read_write});
          place->insert(insert.key);
        } catch (const StoreError&) {
          // Promises nothing. A place that sees that its last inserts are gone takes no more.
          place.reset();
          continue;
        }
        insert.returned = Clock::now();
        inserts_.push_back(insert);
        returned = inserts_.size();
      }
    });
    const auto end = Clock::now() + std::chrono::seconds(45);
    for (int i = 0; is_long() ? Clock::now() < end : i < count; ++i) {
      const std::size_t so_far = returned;
      while (returned < so_far + 20) std::this_thread::sleep_for(milliseconds(5));
      failovers_.push_back(fail_over(is_long() && i % 5 == 4 ? "FORCE" : "TAKEOVER"));
    }
    writer.request_stop();
  }

  Lost look_for_lost() {
    std::vector<Key> keys;
    for (const Insert& each : inserts_) keys.emplace_back(each.key);
    std::vector<Presence> answers(keys.size());
    open_place(location())->presence_of_many(keys, answers);
    Lost lost;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      if (answers[i] == Presence::absent) count(inserts_[i], lost);
    }
    if (is_long()) {
      std::cout << inserts_.size() << " inserts, " << failovers_.size() << " failovers; lost "
                << lost.all() << ": returned before the failover was asked for " << lost.before
                << ", begun before its OK " << lost.during << ", before the old primary knew "
                << lost.after << ", later " << lost.later << "; the last returned "
                << std::chrono::duration_cast<milliseconds>(lost.longest).count()
                << " ms after the question\n";
    }
    return lost;
  }

 private:
  // Counts it at the first failover that the old primary did not know of yet.
  void count(const Insert& insert, Lost& lost) const {
    const auto failover = std::ranges::find_if(
        failovers_, [&](const Failover& each) { return insert.begun <= each.is_known; });
    if (failover == failovers_.end()) {
      ++lost.later;
      return;
    }
    // Begun after one failover and long before the next.
    const bool is_between =
        failover != failovers_.begin() && insert.returned < failover->asked - milliseconds(250);
    int& number = is_between                          ? lost.later
                  : insert.returned < failover->asked ? lost.before
                  : insert.begun < failover->done     ? lost.during
                                                      : lost.after;
    ++number;
    lost.longest = std::max(lost.longest, insert.returned - failover->asked);
  }

  testing::ScratchFolder folder_;
  std::unique_ptr<testing::RedisCluster> cluster_;
  std::size_t first_ = 0;  // node that has the filter at first; its replica is the last one
  std::vector<Insert> inserts_;
  std::vector<Failover> failovers_;
};

// Skipped before it starts a cluster.
class LongClusterFailover : public ClusterFailover {
 protected:
  void SetUp() override {
    if (!is_long()) GTEST_SKIP() << "takes 45 seconds: BLOOMERY_LONG=1";
    ClusterFailover::SetUp();
  }
};

TEST_F(ClusterFailover, ByForceTakesAwayNothingThatReplicasHave) {
  run_scene("&wait=1", 3);
  EXPECT_EQ(look_for_lost().all(), 0);
}

// Replication does not wait: the old primary's inserts until it heard of the failover are gone. An
// insert that began when it knew would have gone over an old route.
TEST_F(LongClusterFailover, ByForceTakesAwayOnlyWhatItsPrimaryTookUnknowing) {
  run_scene("", 0);
  EXPECT_EQ(look_for_lost().later, 0);
}

}  // namespace
}  // namespace bloomery
