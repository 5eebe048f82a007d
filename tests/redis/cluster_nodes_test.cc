// Which node of a cluster has a key, its nodes say: here some that only say so, of servers that
// know of no cluster.

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
#include "bloomery/redis/bitmap_place.h"
#include "bloomery/redis/client.h"
#include "tests/store/scratch_folder.h"
#include "tests/support/fake_sentinel.h"
#include "tests/support/fake_server.h"
#include "tests/support/redis_cluster.h"
#include "tests/support/redis_server.h"
#include "tests/support/unused_port.h"

namespace bloomery::redis {
namespace {

using testing::answering;
using testing::FakeServer;
using testing::RedisServer;

std::string text(const std::string& value) {
  return "$" + std::to_string(value.size()) + "\r\n" + value + "\r\n";
}

// What a node called `id` answers to CLUSTER SLOTS and CLUSTER MYID: this one has all slots.
std::string all_slots_at(const std::string& port, const std::string& id) {
  return "*1\r\n*3\r\n:0\r\n:16383\r\n*3\r\n" + text("127.0.0.1") + ":" + port + "\r\n" +
         text("id of " + port) + text(id);
}
const std::string kNoSlots = "*0\r\n" + text("lonely");

std::string location_of(const std::vector<const FakeServer*>& nodes) {
  std::string hosts;
  for (const FakeServer* each : nodes) {
    hosts += (hosts.empty() ? "" : ",") + ("127.0.0.1:" + std::to_string(each->port()));
  }
  return "redis+cluster://" + hosts + "?timeout=2000&trust=bits&client_name=tested#f";
}

Request get_f() {
  return Request().add({"GET", "f"});
}

TEST(ClusterNodes, OneWithoutSlotsDoesNotSayWhereAKeyIs) {
  FakeServer owner(answering("+HERE\r\n"));
  FakeServer knows(answering(all_slots_at(std::to_string(owner.port()), "other")));
  FakeServer lonely(answering(kNoSlots));
  for (const auto& all : {std::vector{&lonely, &knows}, std::vector{&knows, &lonely}}) {
    Client client(parse_location(location_of({all.begin(), all.end()})));
    EXPECT_TRUE(client.run(get_f(), Repeat::never).replies.at(0).is_status("HERE"));
  }
}

TEST(ClusterNodes, AnotherOneIsAskedWhereOneLedToWhatIsDown) {
  FakeServer owner(answering("+HERE\r\n"));
  FakeServer knows(answering(all_slots_at(std::to_string(owner.port()), "other")));
  FakeServer down(answering("-CLUSTERDOWN The cluster is down\r\n"));
  FakeServer cut_off(answering(all_slots_at(std::to_string(down.port()), "cut off")));
  Client client(parse_location(location_of({&cut_off, &knows})));
  EXPECT_TRUE(client.run(get_f(), Repeat::never).replies.at(0).is_status("HERE"));
}

// A slot goes to a node that nobody names yet.
TEST(ClusterNodes, WhereItsOwnerSendsACallIsBelievedIfTheOwnerIs) {
  FakeServer there(answering("+OK\r\n+THERE\r\n"));
  FakeServer owner(answering("-ASK 1 127.0.0.1:" + std::to_string(there.port()) + "\r\n"));
  FakeServer knows(answering(all_slots_at(std::to_string(owner.port()), "other")));
  Client client(parse_location(location_of({&knows})));
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(client.run(get_f(), Repeat::never).replies.at(0).is_status("THERE"));
    std::this_thread::sleep_for(std::chrono::milliseconds(250));
  }
}

// With no host of its own it is called as whoever asks calls it.
TEST(ClusterNodes, ALoneOneMayHaveTwoNames) {
  if (!RedisServer::is_installed()) GTEST_SKIP() << "no redis-server here";
  const testing::ScratchFolder folder;
  testing::RedisCluster cluster(folder.path().string(), 1);
  ASSERT_TRUE(cluster.is_up());
  const std::string& port = cluster[0].port;
  Client client(parse_location("redis+cluster://localhost:" + port + ",127.0.0.1:" + port + "#f"));
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(client.run(get_f(), Repeat::never).replies.at(0).is(Reply::Type::nil));
    std::this_thread::sleep_for(std::chrono::milliseconds(250));
  }
}

// What the nodes say may change.
class ReplacedNode : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!RedisServer::is_installed()) GTEST_SKIP() << "no redis-server here";
    old_ = start("old", ports_[0]);
    new_ = start("new", ports_[1]);
    init_filter(*old_);
    init_filter(*new_);
    // The first is the old primary itself, by another name: it believes what it always did.
    place_ = open_bitmap_place(redisson::kFormat, location_of({&itself_, &other_}), true);
    place_->insert("in");
    ASSERT_EQ(place_->presence_of("after"), Presence::absent);
    const std::string now = "redis://127.0.0.1:" + ports_[1] + "?trust=bits#f";
    const auto there = open_bitmap_place(redisson::kFormat, now, true);
    there->insert("in");
    there->insert("after");
  }

  std::unique_ptr<RedisServer> start(const std::string& name, const std::string& port) const {
    const auto path = folder_.path() / name;
    std::filesystem::create_directories(path);
    return std::make_unique<RedisServer>(path.string(), std::vector<std::string>{"--port", port});
  }
  static void init_filter(const RedisServer& server) {
    server.ask("HSET '{f}:config' size 95850 hashIterations 7");
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
  FakeServer itself_{answering(all_slots_at(ports_[0], "id of " + ports_[0]))};
  FakeServer other_{answering([this] {
    const std::lock_guard lock(mutex_);
    return all_slots_at(named_, "other");
  })};
  std::unique_ptr<FilterPlace> place_{};
};

TEST_F(ReplacedNode, ThatDoesNotKnowItIsNotBelievedAfterASilence) {
  name_the_new_one();
  std::this_thread::sleep_for(std::chrono::milliseconds(250));
  EXPECT_EQ(place_->presence_of("after"), Presence::maybe);
  place_->insert("more");
  EXPECT_EQ(old_->ask("BITCOUNT f"), "7\n") << "its filter has no key but the first";
}

TEST_F(ReplacedNode, ThatWasFrozenInMidQuestionIsNotBelieved) {
  old_->send(SIGSTOP);
  std::thread asker([&] { EXPECT_EQ(place_->presence_of("after"), Presence::maybe); });
  std::this_thread::sleep_for(std::chrono::milliseconds(250));
  name_the_new_one();
  old_->send(SIGCONT);
  asker.join();
}

TEST_F(ReplacedNode, ThatGoesOnAnsweringIsLeftWithinASecond) {
  name_the_new_one();
  const auto start = std::chrono::steady_clock::now();
  while (place_->presence_of("after") == Presence::absent) {
    ASSERT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(place_->presence_of("after"), Presence::maybe);
}

}  // namespace
}  // namespace bloomery::redis
