// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/cluster_epoch.h"
#include "tests/support/redis_server.h"
#include "tests/support/unused_port.h"

namespace bloomery::testing {

// Primaries of the loopback that share the slots of a cluster, each in a folder of its own.
class RedisCluster {
 public:
  static constexpr int kSlots = 16384;

  struct Node {
    std::string port;
    std::string id;
    std::unique_ptr<RedisServer> server;
  };

  // `options`: of each server. `port_option`: as what each gets its port.
  RedisCluster(const std::string& folder, int count, const std::vector<std::string>& options = {},
               const std::string& port_option = "--port") {
    primaries_ = count;
    for (int i = 0; i < count; ++i) {
      start(folder + "/node" + std::to_string(i), options, port_option);
    }
    for (int i = 0; i < count; ++i) {
      const RedisServer& server = *nodes_[i].server;
      server.ask("CLUSTER ADDSLOTSRANGE " + std::to_string(kSlots * i / count) + " " +
                 std::to_string(kSlots * (i + 1) / count - 1));
      server.ask("CLUSTER SET-CONFIG-EPOCH " + std::to_string(i + 1));
    }
    meet();
  }

  // Waits until all nodes know each other, and returns whether they do. On a busy machine a first
  // handshake is lost now and then.
  bool is_up() const {
    const std::string known = "cluster_known_nodes:" + std::to_string(nodes_.size());
    for (int i = 1; i <= 3'000; ++i) {
      if (i % 200 == 0) meet();
      std::size_t up = 0;
      for (const Node& each : nodes_) {
        const std::string info = each.server->ask("CLUSTER INFO");
        const bool knows_all = info.find(known) != std::string::npos;
        if (!knows_all || info.find("cluster_state:ok") == std::string::npos) break;
        ++up;
      }
      if (up == nodes_.size()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }

  // The new node is the last; comes back once it has what its primary has, or after half a minute.
  void add_replica_of(std::size_t primary, const std::string& folder,
                      std::vector<std::string> options = {}) {
    options.insert(options.end(), {"--repl-diskless-sync-delay", "0"});
    start(folder, options, "--port");
    meet();
    const RedisServer& server = *nodes_.back().server;
    bool is_replica = false;  // saying so once more would begin it anew
    for (int i = 1; i <= 3'000 && !(is_replica && is_in_step(server)); ++i) {
      if (i % 200 == 0 && !is_replica) meet();
      is_replica = is_replica || server.ask("CLUSTER REPLICATE " + nodes_[primary].id) == "OK\n";
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  // Returns whether a replica is connected to its primary.
  static bool is_in_step(const RedisServer& replica) {
    const std::string info = replica.ask("INFO replication");
    return info.find("role:slave") != std::string::npos &&
           info.find("master_link_status:up") != std::string::npos;
  }

  Node& operator[](std::size_t i) { return nodes_[i]; }
  // Returns the node that a slot was given to at first.
  std::size_t first_owner(int slot) const {
    std::size_t i = 0;
    while (slot >= kSlots * (static_cast<int>(i) + 1) / primaries_) ++i;
    return i;
  }

  // Moves a slot one key after another, as redis-cli does it.
  void move_slot(int slot, std::size_t from, std::size_t to) {
    const RedisServer& source = *nodes_[from].server;
    const RedisServer& target = *nodes_[to].server;
    const std::string set = "CLUSTER SETSLOT " + std::to_string(slot);
    target.ask(set + " IMPORTING " + nodes_[from].id);
    source.ask(set + " MIGRATING " + nodes_[to].id);
    for (;;) {
      const std::string key =
          line_of(source.ask("CLUSTER GETKEYSINSLOT " + std::to_string(slot) + " 1"));
      if (key.empty()) break;
      const std::string said =
          source.ask("MIGRATE 127.0.0.1 " + nodes_[to].port + " '" + key + "' 0 5000");
      if (said.find("ERR") != std::string::npos) throw std::runtime_error("MIGRATE: " + said);
    }
    target.ask(set + " NODE " + nodes_[to].id);
    source.ask(set + " NODE " + nodes_[to].id);
    // A node that has not heard of this when the slot comes to it next, would never hear of it.
    for (const Node& each : nodes_) each.server->ask(set + " NODE " + nodes_[to].id);
    await_epoch_of(to);
  }

  // Returns whether any node has a key of the slot. A node that took a slot may lose it again to an
  // older word of the node that had it, and delete its keys: seen with Redis 7.0 in one of some
  // hundred runs on a machine with much else to do.
  bool has_keys(int slot) const {
    return std::ranges::any_of(nodes_, [&](const Node& each) {
      return line_of(each.server->ask("CLUSTER COUNTKEYSINSLOT " + std::to_string(slot))) != "0";
    });
  }

  // Waits until all nodes know the epoch of a node (cluster_epoch.h), so that the next one to take
  // its slots does so in a newer one.
  void await_epoch_of(std::size_t node) const {
    testing::await_epoch_of(nodes_[node].id, nodes_,
                            [](const Node& each) { return each.server->ask("CLUSTER NODES"); });
  }

 private:
  void meet() const {
    for (std::size_t i = 1; i < nodes_.size(); ++i) {
      nodes_[0].server->ask("CLUSTER MEET 127.0.0.1 " + nodes_[i].port + " " + bus_[i]);
    }
  }

  static std::string line_of(const std::string& answer) {
    return answer.substr(0, answer.find('\n'));
  }

  void start(const std::string& folder, std::vector<std::string> options,
             const std::string& port_option) {
    std::filesystem::create_directories(folder);
    Node node{.port = std::to_string(unused_port()), .id = {}, .server = nullptr};
    bus_.push_back(std::to_string(unused_port()));
    options.insert(options.end(), {port_option, node.port, "--cluster-enabled", "yes",
                                   "--cluster-port", bus_.back(), "--cluster-node-timeout", "5000",
                                   "--cluster-require-full-coverage", "no"});
    node.server = std::make_unique<RedisServer>(folder, options);
    node.id = line_of(node.server->ask("CLUSTER MYID"));
    nodes_.push_back(std::move(node));
  }

  int primaries_ = 0;
  std::vector<Node> nodes_{};
  std::vector<std::string> bus_{};
};

}  // namespace bloomery::testing
