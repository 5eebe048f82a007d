// SPDX-License-Identifier: Apache-2.0
// Three primaries, and a slot that moves while items are added to the filters in it.
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "bloomery/filter/filter_kinds.h"
#include "bloomery/format/native/write_native.h"
#include "bloomery/redis/places/push_filter.h"
#include "tests/module/cluster_nodes.h"
#include "tests/module/filters_under_test.h"
#include "tests/support/cluster_epoch.h"

namespace bloomery {
namespace {

using testing::Client;
using testing::ClusterClient;
using testing::ClusterTest;
using testing::ModuleServer;
using testing::Node;
using testing::Reply;

class Cluster : public ClusterTest {
 protected:
  void move_slot(const std::string& slot, const Node& from, const Node& to) {
    ModuleServer& source = *from.server;
    EXPECT_EQ(to.server->ask("CLUSTER SETSLOT " + slot + " IMPORTING " + from.id), "+OK");
    EXPECT_EQ(source.ask("CLUSTER SETSLOT " + slot + " MIGRATING " + to.id), "+OK");
    for (;;) {
      const Reply keys = source.ask_reply("CLUSTER GETKEYSINSLOT " + slot + " 1");
      if (keys.items.empty()) break;
      const std::string moved =
          source.call({"MIGRATE", "127.0.0.1", to.port, keys.items[0].text, "0", "5000"}).line;
      ASSERT_TRUE(moved == "+OK" || moved == "+NOKEY") << moved;
    }
    EXPECT_EQ(to.server->ask("CLUSTER SETSLOT " + slot + " NODE " + to.id), "+OK");
    EXPECT_EQ(source.ask("CLUSTER SETSLOT " + slot + " NODE " + to.id), "+OK");
    testing::await_epoch_of(to.id, nodes_, [](const Node& each) {
      return each.server->ask_reply("CLUSTER NODES").text;
    });
  }
};

TEST_F(Cluster, MovesASlotWhileItemsAreAdded) {
  ASSERT_TRUE(start(3));
  const std::string slot = nodes_[0].server->ask("CLUSTER KEYSLOT {a}").substr(1);
  std::size_t owner = std::stoul(slot) * 3 / 16384;

  std::atomic<bool> stops = false;
  std::atomic<int> added = 0;
  ClusterClient client(nodes_);
  client.call({"BF.RESERVE", "{a}large", "0.01", "2000000"});
  client.call({"BF.ADD", "{a}large", "member"});
  const auto filters = testing::one_of_each(client.current(), "{a}");
  std::thread writer([&] {
    ClusterClient own(nodes_);
    for (int i = 0; !stops; added = ++i) {
      for (const auto& each : filters) {
        const std::string reply = own.call({each.add, each.key, std::to_string(i)}).line;
        if (reply[0] == '-') ADD_FAILURE() << reply;
      }
    }
  });
  for (int moves = 0; moves < 6 && !HasFatalFailure(); ++moves) {
    const int before = added;
    const std::size_t to = (owner + 1) % nodes_.size();
    move_slot(slot, nodes_[owner], nodes_[to]);
    owner = to;
    EXPECT_TRUE(testing::comes_true([&] { return added > before + 50; }));
  }
  stops = true;
  writer.join();

  Client& there = nodes_[owner].server->client;
  for (const auto& each : filters) {
    EXPECT_EQ(testing::lost_items(there, each, added), 0) << each.key << " of " << added;
  }
  EXPECT_EQ(client.call({"BF.EXISTS", "{a}large", "member"}).line, ":1");
  const auto digests = [&] {
    std::string all;
    for (const auto& each : filters) {
      all += nodes_[owner].server->call({"DEBUG", "DIGEST-VALUE", each.key}).shown() + "\n";
    }
    return all;
  };
  const std::string before = digests();
  const std::size_t to = (owner + 1) % nodes_.size();
  move_slot(slot, nodes_[owner], nodes_[to]);
  owner = to;
  EXPECT_EQ(digests(), before);
}

TEST_F(Cluster, TakesAFilterAtAnyNodeAndWhileItsSlotMoves) {
  ASSERT_TRUE(start(3));
  AnyFilter filter = make_filter(FilterKind::blocked, {.capacity = 100'000});
  filter.insert("member");
  const FilterContents contents = filter.contents();
  ClusterClient client(nodes_);
  for (const Node& each : nodes_) {
    for (const char* const key : {"a", "b", "c"}) {  // of three nodes
      redis::Client any(redis::parse_location("redis://127.0.0.1:" + each.port + "#" + key));
      redis::push_filter(contents, any);
      EXPECT_EQ(client.call({"BLOOM.CHECK", key, "member", "other"}).shown(), "*2 :1 :0");
    }
  }

  const NativeHead head(contents, {});
  std::string bytes;
  write_native(head, contents, [&](auto piece) {
    bytes.append(reinterpret_cast<const char*>(piece.data()), piece.size());
  });
  const std::string half = std::to_string(bytes.size() / 2);
  client.call({"BLOOM.LOAD", "new", "BEGIN", std::to_string(bytes.size())});
  client.call({"BLOOM.LOAD", "new", "AT", "0", bytes.substr(0, bytes.size() / 2)});
  const std::string slot = nodes_[0].server->ask("CLUSTER KEYSLOT new").substr(1);
  EXPECT_EQ(nodes_[0].server->ask("CLUSTER KEYSLOT {new}.loading").substr(1), slot);
  const std::size_t owner = std::stoul(slot) * 3 / 16384;
  move_slot(slot, nodes_[owner], nodes_[(owner + 1) % nodes_.size()]);
  EXPECT_EQ(client.call({"BLOOM.CHECK", "new", "member"}).line.substr(0, 9), "-NOTREADY");
  client.call({"BLOOM.LOAD", "new", "AT", half, bytes.substr(bytes.size() / 2)});
  EXPECT_EQ(client.call({"BLOOM.LOAD", "new", "COMMIT"}).line, "+OK");
  EXPECT_EQ(client.call({"BLOOM.CHECK", "new", "member", "other"}).shown(), "*2 :1 :0");
  EXPECT_EQ(client.call({"BLOOM.LOAD", "a}b", "BEGIN", "9999"}).line.substr(0, 20),
            "-ERR in a cluster a ");
}

}  // namespace
}  // namespace bloomery
