// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/places/partition_cost.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>

#include "bloomery/filter/rates.h"
#include "bloomery/format/kinds.h"
#include "bloomery/format/native/file_header.h"
#include "bloomery/redis/client/bitfield.h"
#include "bloomery/redis/client/request.h"
#include "bloomery/redis/places/lost_bits.h"
#include "bloomery/redis/places/partition_keys.h"

namespace bloomery::redis {
namespace {

constexpr std::uint64_t kFewestNodes = 3;

// In bytes of the protocol, of a question as PartitionsDialect asks it that only reads.
struct Traffic {
  double asked = 0;
  double answered = 0;
};

std::size_t text_reply(std::size_t size) {
  return 1 + std::to_string(size).size() + 2 + size + 2;
}

// `of_partition`: what a partition costs once in a round trip. `of_line`: what each line of 64
// bytes costs.
Traffic of_partition(const FileHeader& head, const std::string& key) {
  constexpr std::size_t kWitnesses = LostBits::kAskedByReader;
  constexpr std::size_t kRole = 40;                       // of a primary without replicas
  const std::size_t head_bytes = kHeaderBytes + 64 + 64;  // identity, part, and room for more
  const std::array<std::uint64_t, kWitnesses> bits{};
  const std::string nonce(20, '0');  // as long as next_nonce() makes one
  const std::string last = std::to_string(head_bytes - 1);
  Request request;
  request.add({"ECHO", nonce}).add({"ROLE"}).add({"STRLEN", key});
  request.add({"GETRANGE", key, "0", last}).add({"GETRANGE", key, "0", last});
  append_bitfield(request, key, false, bits, {});
  const std::size_t length = 3 + std::to_string(head.layout.file_bytes).size();
  const std::size_t witnesses = 4 + 5 * kWitnesses;
  return {.asked = static_cast<double>(request.bytes().size()),
          .answered = static_cast<double>(text_reply(nonce.size()) + kRole + length + witnesses +
                                          2 * text_reply(head_bytes))};
}

Traffic of_line(const FileHeader& head, const std::string& key) {
  const std::string at = std::to_string(head.layout.file_bytes / 2);
  Request request;
  request.add({"GETRANGE", key, at, at});
  return {.asked = static_cast<double>(request.bytes().size()),
          .answered = static_cast<double>(text_reply(64))};
}

double quotient(std::uint64_t a, double b) {
  return static_cast<double>(a) / b;
}

}  // namespace

PartitionCost partition_cost(const FilterParameters& parameters,
                             const ClusterAssumptions& assumptions) {
  if (!kind_of(parameters.kind).has_parts) {
    throw std::invalid_argument("only blocked filters are kept in partitions");
  }
  const Geometry& geometry = parameters.geometry;
  PartitionCost cost;
  cost.filter_bytes = geometry.bit_count / 8;
  cost.nodes = assumptions.nodes.value_or(
      std::max(kFewestNodes,
               (cost.filter_bytes - 1) / std::max<std::uint64_t>(1, assumptions.node_bytes) + 1));
  if (cost.nodes == 0) throw std::invalid_argument("a cluster has nodes");
  cost.partitions = partitions_for(parameters, assumptions.partitions, "this filter");

  FileHeader head;
  head.contents.parameters = parameters;
  head.part = {0, cost.partitions, geometry.bit_count};
  const std::uint64_t lines = geometry.bit_count / kLineBits;
  const std::uint64_t most_lines = (lines + cost.partitions - 1) / cost.partitions;
  head.layout = FileLayout::of(0, most_lines * kLineBits);
  cost.partition_bytes = head.layout.file_bytes;
  const std::uint64_t of_node = (cost.partitions + cost.nodes - 1) / cost.nodes;
  cost.node_bytes = of_node * cost.partition_bytes;
  cost.all_bytes = cost.partitions * cost.partition_bytes * (1 + assumptions.replicas);

  // Keys fall on lines as they fall on partitions: by chance. Four standard deviations.
  const auto keys = static_cast<double>(parameters.capacity);
  const double mean = keys / cost.partitions;
  cost.spread = 4 * std::sqrt((1 - 1.0 / cost.partitions) / mean);
  Geometry of_part = geometry;
  of_part.bit_count =
      lines / cost.partitions / geometry.lines_per_key * geometry.lines_per_key * kLineBits;
  cost.fullest_rate = predicted_rate(of_part, mean * (1 + cost.spread));

  const std::string key =
      cost.partitions == 1 ? "users" : partition_key("users", cost.partitions - 1, cost.partitions);
  const Traffic part = of_partition(head, key);
  const Traffic line = of_line(head, key);
  const double lines_each = geometry.lines_per_key;
  const double index = cost.partitions == 1 ? 0 : 1;  // which is asked as a part is
  const double parts_each = lines_each - (lines_each - 1) / cost.partitions + index;
  cost.asked_bytes = parts_each * part.asked + lines_each * line.asked;
  cost.answered_bytes = parts_each * part.answered + lines_each * line.answered;
  const auto batch = static_cast<double>(assumptions.batch);
  cost.batch_partitions =
      cost.partitions * (1 - std::pow(1 - 1.0 / cost.partitions, batch * lines_each));
  cost.batch_bytes = (cost.batch_partitions + index) * (part.asked + part.answered) +
                     batch * lines_each * (line.asked + line.answered);

  const double batch_ns = cost.batch_partitions * assumptions.server_ns_per_partition +
                          batch * lines_each * assumptions.server_ns_per_key;
  const auto nodes = static_cast<double>(cost.nodes);
  const double by_servers = nodes * batch / batch_ns * 1e9;
  // The answers are the larger half.
  const double answer_bits =
      8 * ((cost.batch_partitions + index) * part.answered + batch * lines_each * line.answered);
  const double by_links = nodes * batch * assumptions.link_bits / answer_bits;
  cost.keys_a_second = std::min(by_servers, by_links);
  cost.is_link_bound = by_links < by_servers;

  const double read_seconds = keys / assumptions.source_keys;
  cost.load_seconds = read_seconds + quotient(8 * cost.filter_bytes, assumptions.link_bits);
  cost.insert_seconds =
      std::max(read_seconds, keys * lines_each * assumptions.server_ns_per_insert / 1e9 / nodes);
  cost.replace_bytes = cost.partition_bytes;
  cost.node_seconds = quotient(8 * cost.node_bytes, assumptions.link_bits);
  cost.lost_share = 1 - std::pow(1 - 1 / nodes, lines_each);
  return cost;
}

}  // namespace bloomery::redis
