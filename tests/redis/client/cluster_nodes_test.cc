// SPDX-License-Identifier: Apache-2.0
// Which node of a cluster has a key, its nodes say: here some that only say so, of servers that
// know of no cluster.

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "bloomery/redis/client/client.h"
#include "tests/store/scratch_folder.h"
#include "tests/support/fake_cluster_node.h"
#include "tests/support/fake_sentinel.h"
#include "tests/support/fake_server.h"
#include "tests/support/redis_cluster.h"
#include "tests/support/redis_server.h"

namespace bloomery::redis {
namespace {

using testing::all_slots_at;
using testing::answering;
using testing::FakeServer;
using testing::RedisServer;

const std::string kNoSlots = "*0\r\n$6\r\nlonely\r\n";

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

}  // namespace
}  // namespace bloomery::redis
