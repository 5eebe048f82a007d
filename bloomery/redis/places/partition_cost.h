// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "bloomery/filter/parameters.h"

// The cost of a filter of ours in partitions, in a cluster that need not exist.
namespace bloomery::redis {

// The numbers that cannot be computed. The times are those of one core of a machine of today, to be
// measured where it matters (./run bench --redis).
struct ClusterAssumptions {
  std::uint64_t node_bytes = 64ULL << 30;  // of filters, at most
  std::optional<std::uint64_t> nodes{};    // else as many as that takes, at least three
  std::optional<std::uint32_t> partitions{};
  std::uint64_t replicas = 0;              // of each node
  double link_bits = 10e9;                 // a second, of each machine
  double source_keys = 3e6;                // that are read a second, by one reader
  double server_ns_per_key = 500;          // of a batch
  double server_ns_per_partition = 2'400;  // and for its heads, some five keys' worth
  double server_ns_per_insert = 2'700;
  std::uint64_t batch = 1000;
};

struct PartitionCost {
  std::uint32_t partitions = 1;
  std::uint64_t partition_bytes = 0;  // of the largest
  std::uint64_t nodes = 0;
  std::uint64_t filter_bytes = 0;
  std::uint64_t node_bytes = 0;  // of the fullest node
  std::uint64_t all_bytes = 0;   // with replicas

  // Keys are not spread evenly. The fullest partition has at most this share more than the mean,
  // but for one of 10,000 sets of keys, and fullest_rate is its false positive rate then.
  double spread = 0;
  double fullest_rate = 0;

  double asked_bytes = 0;  // of one key: question and answer
  double answered_bytes = 0;
  double batch_bytes = 0;       // both ways, all nodes
  double batch_partitions = 0;  // that a batch has to do with
  double keys_a_second = 0;     // that all nodes answer, as batches
  bool is_link_bound = false;

  double load_seconds = 0;    // one machine reads all keys, builds and sends; it has the filter
  double insert_seconds = 0;  // as inserts, no faster than keys are read
  std::uint64_t replace_bytes = 0;  // beside, while load --replace goes on
  double node_seconds = 0;          // one node's bytes over its link
  double lost_share = 0;            // of all keys are unknown without one node
};

// `parameters` are those of a blocked filter at `capacity`. Throws std::invalid_argument for what
// partitions_for() refuses, and no nodes.
PartitionCost partition_cost(const FilterParameters& parameters,
                             const ClusterAssumptions& assumptions);

}  // namespace bloomery::redis
