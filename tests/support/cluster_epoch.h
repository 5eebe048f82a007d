// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace bloomery::testing {

// The epoch of the node with the id, in an answer to CLUSTER NODES; empty where it is not there.
inline std::string epoch_in(const std::string& cluster_nodes, const std::string& id) {
  std::istringstream lines(cluster_nodes);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(id)) continue;
    std::istringstream words(line);
    std::string epoch;
    for (int i = 0; i < 7; ++i) words >> epoch;
    return epoch;
  }
  return {};
}

// Waits until all nodes know the epoch in which the node with the id has its slots. A node that
// does not know it would take the next slot in an epoch that is not the newest, lose it to an older
// word of the node that had it, and delete its keys. `cluster_nodes_at`: a node's answer to CLUSTER
// NODES.
void await_epoch_of(const std::string& id, const auto& nodes, const auto& cluster_nodes_at) {
  for (int i = 0; i < 3'000; ++i) {
    std::vector<std::string> epochs;
    for (const auto& each : nodes) epochs.push_back(epoch_in(cluster_nodes_at(each), id));
    if (!epochs.front().empty() &&
        std::ranges::count(epochs, epochs.front()) == static_cast<std::ptrdiff_t>(epochs.size())) {
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  throw std::runtime_error("the nodes do not hear of the epoch of " + id);
}

}  // namespace bloomery::testing
