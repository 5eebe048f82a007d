// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bloomery/redis/places/partition_cost.h"
#include "cli/command_line.h"

// `bloomery calc --partitions`: what large filters cost in a cluster.
namespace bloomery::cli {

struct ClusterArguments {
  bool asked = false;
  redis::ClusterAssumptions assumptions{};
};

void add_cluster_options(Command command, ClusterArguments& arguments);

// A column for each number of keys. Throws std::invalid_argument for what no such filter has.
int calc_partitions(const std::vector<std::uint64_t>& key_counts, double rate,
                    const redis::ClusterAssumptions& assumptions, bool json);

}  // namespace bloomery::cli
