// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/module/server_client.h"
#include "tests/module/server_state.h"

namespace bloomery::testing {

// A primary of a cluster, or a replica in it.
struct Node {
  std::string folder;
  std::vector<std::string> options;
  std::string port;
  std::string bus;
  std::string id;
  std::unique_ptr<ModuleServer> server;
  std::string module = BLOOMERY_MODULE_FILE;  // empty: none

  void start() {
    server = std::make_unique<ModuleServer>(folder, std::vector<std::string>{}, options, module);
  }
};

// A client that goes to the node that it is sent to.
class ClusterClient {
 public:
  explicit ClusterClient(const std::vector<Node>& nodes) {
    for (const Node& each : nodes) {
      clients_[each.port] = std::make_unique<Client>(each.server->socket());
    }
    at_ = nodes[0].port;
  }

  Reply call(const std::vector<std::string>& words) {
    for (int i = 0; i < 100; ++i) {
      Reply reply = clients_.at(at_)->call(words);
      const std::string port = reply.line.substr(reply.line.rfind(':') + 1);
      if (reply.line.starts_with("-MOVED")) {
        at_ = port;
      } else if (reply.line.starts_with("-ASK")) {
        Client& there = *clients_.at(port);
        there.call({"ASKING"});
        reply = there.call(words);
        if (reply.line[0] != '-') return reply;
      } else {
        return reply;
      }
    }
    return {.line = "-ERR sent from node to node"};
  }
  Client& current() { return *clients_.at(at_); }

 private:
  std::map<std::string, std::unique_ptr<Client>> clients_;
  std::string at_;
};

// Tests of a few primaries that have the slots between them in equal parts.
class ClusterTest : public ModuleTest {
 protected:
  // False where the cluster does not come to be.
  bool start(std::size_t count, const std::vector<std::string>& options = {}) {
    for (std::size_t i = 0; i < count; ++i) {
      ModuleServer& server = *add_node(options).server;
      const std::string first = std::to_string(16384 * i / count);
      const std::string last = std::to_string(16384 * (i + 1) / count - 1);
      EXPECT_EQ(server.ask("CLUSTER ADDSLOTSRANGE " + first + " " + last), "+OK");
      EXPECT_EQ(server.ask("CLUSTER SET-CONFIG-EPOCH " + std::to_string(i + 1)), "+OK");
      if (i > 0) meet(nodes_[i]);
    }
    return all_know_all();
  }
  bool add_replica_of(std::size_t primary) {
    const std::string id = nodes_[primary].id;
    Node& node = add_node({"--repl-diskless-sync-delay", "0"});
    meet(node);
    return all_know_all() &&
           comes_true([&] { return node.server->ask("CLUSTER REPLICATE " + id) == "+OK"; }) &&
           has_synced(*node.server);
  }
  bool all_know_all() {
    const std::string known = "cluster_known_nodes:" + std::to_string(nodes_.size());
    return comes_true([&] {
      for (const Node& each : nodes_) {
        const std::string state = each.server->call({"CLUSTER", "INFO"}).text;
        if (state.find("cluster_state:ok") == std::string::npos ||
            state.find(known) == std::string::npos) {
          return false;
        }
      }
      return true;
    });
  }
  std::string slot_of(const std::string& key) {
    return nodes_[0].server->ask("CLUSTER KEYSLOT " + key).substr(1);
  }

  std::vector<Node> nodes_;

 private:
  Node& add_node(const std::vector<std::string>& options) {
    Node node{.folder = folder("node" + std::to_string(nodes_.size())),
              .options = {},
              .port = free_port(),
              .bus = free_port(),
              .id = {},
              .server = nullptr};
    node.options = {"--port",         node.port, "--cluster-enabled",      "yes",
                    "--cluster-port", node.bus,  "--cluster-node-timeout", "5000"};
    node.options.insert(node.options.end(), options.begin(), options.end());
    node.start();
    node.id = node.server->call({"CLUSTER", "MYID"}).text;
    nodes_.push_back(std::move(node));
    return nodes_.back();
  }
  void meet(const Node& node) {
    EXPECT_EQ(nodes_[0].server->ask("CLUSTER MEET 127.0.0.1 " + node.port + " " + node.bus), "+OK");
  }
};

}  // namespace bloomery::testing
