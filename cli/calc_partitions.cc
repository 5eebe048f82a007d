// SPDX-License-Identifier: Apache-2.0
// bloomery calc --partitions: what a filter costs that the nodes of a cluster share.
#include "cli/calc_partitions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

#include "bloomery/filter/blocked_layout.h"
#include "bloomery/filter/filter_kinds.h"
#include "bloomery/format/native/file_part.h"
#include "bloomery/text/human_number.h"
#include "cli/exit_status.h"
#include "cli/options.h"
#include "cli/report.h"
#include "cli/text_table.h"

namespace bloomery::cli {
namespace {

using redis::ClusterAssumptions;
using redis::PartitionCost;

struct Sized {
  FilterParameters parameters;
  PartitionCost cost;
};

std::string size_text(double bytes) {
  constexpr std::array<const char*, 6> kUnits{"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < kUnits.size(); ++unit) bytes /= 1024;
  return short_number(bytes, 3) + " " + kUnits[unit];
}

std::string time_text(double seconds) {
  if (seconds < 120) return short_number(seconds, 3) + " s";
  if (seconds < 7200) return short_number(seconds / 60, 3) + " min";
  if (seconds < 2 * 86'400.0) return short_number(seconds / 3600, 3) + " h";
  return short_number(seconds / 86'400, 3) + " d";
}

std::string percent_text(double share) {
  return short_number(100 * share, 3) + " %";
}

std::string number_text(double number) {
  return format_count(static_cast<std::uint64_t>(std::llround(number)));
}

// A computed figure: its name, its text for people and its value for programs. rows() has them in
// the order in which they are shown.
struct Row {
  const char* name;
  std::function<std::string(const Sized&)> text;
  std::function<Report::Value(const Sized&)> value;
};

template <class Member, class Text>
Row row(const char* name, Member member, Text text) {
  return {name, [=](const Sized& each) { return text(each.cost.*member); },
          [=](const Sized& each) { return Report::Value(each.cost.*member); }};
}

std::vector<Row> rows() {
  using Cost = PartitionCost;
  const auto count = [](auto number) { return number_text(static_cast<double>(number)); };
  const auto bytes = [](auto number) { return size_text(static_cast<double>(number)); };
  return {
      {"bits_per_key",
       [](const Sized& s) {
         return short_number(static_cast<double>(s.parameters.geometry.bit_count) /
                             static_cast<double>(s.parameters.capacity));
       },
       [](const Sized& s) {
         return static_cast<double>(s.parameters.geometry.bit_count) /
                static_cast<double>(s.parameters.capacity);
       }},
      {"lines_per_key",
       [](const Sized& s) { return std::to_string(s.parameters.geometry.lines_per_key); },
       [](const Sized& s) { return s.parameters.geometry.lines_per_key; }},
      row("filter", &Cost::filter_bytes, bytes),
      row("partitions", &Cost::partitions, [](auto n) { return std::to_string(n); }),
      row("partition", &Cost::partition_bytes, bytes),
      row("nodes", &Cost::nodes, [](auto n) { return std::to_string(n); }),
      row("memory_a_node", &Cost::node_bytes, bytes),
      row("memory_of_all_nodes", &Cost::all_bytes, bytes),
      row("fullest_partition", &Cost::spread, [](double s) { return "+" + percent_text(s); }),
      row("rate_of_the_fullest", &Cost::fullest_rate, [](double r) { return short_number(r); }),
      row("look_up_sends", &Cost::asked_bytes, bytes),
      row("look_up_receives", &Cost::answered_bytes, bytes),
      row("batch_asks_partitions", &Cost::batch_partitions, count),
      row("batch_sends_and_receives", &Cost::batch_bytes, bytes),
      row("look_ups_a_second", &Cost::keys_a_second, count),
      row("bound_by", &Cost::is_link_bound, [](bool is) { return is ? "links" : "processors"; }),
      row("time_to_load_or_rebuild", &Cost::load_seconds, time_text),
      row("time_to_insert_all", &Cost::insert_seconds, time_text),
      row("beside_during_a_rebuild", &Cost::replace_bytes, bytes),
      row("time_to_replace_a_node", &Cost::node_seconds, time_text),
      row("unknown_without_a_node", &Cost::lost_share, percent_text),
  };
}

std::string assumptions_text(const ClusterAssumptions& a, double rate) {
  return "at a rate of " + short_number(rate) + ", with nodes of " +
         size_text(static_cast<double>(a.node_bytes)) + " for filters (--node-memory), " +
         std::to_string(a.replicas) + " replicas of each (--replicas),\nlinks of " +
         format_count(static_cast<std::uint64_t>(a.link_bits)) + " bits a second (--link), " +
         format_count(static_cast<std::uint64_t>(a.source_keys)) +
         " keys read a second (--keys-per-second), batches of " + std::to_string(a.batch) +
         " keys (--batch);\none core of a node takes " + short_number(a.server_ns_per_key) +
         " ns a line that it is asked (--ask-ns), " + short_number(a.server_ns_per_partition) +
         " a partition of a batch (--partition-ns),\n" + short_number(a.server_ns_per_insert) +
         " a line that it is filled with (--insert-ns)\n";
}

double parse_positive_number(const std::string& text) {
  return static_cast<double>(parse_positive(text));
}

}  // namespace

void add_cluster_options(Command command, ClusterArguments& arguments) {
  ClusterAssumptions& a = arguments.assumptions;
  const auto add = [&](const char* name, const char* type, const std::string& help, auto read) {
    add_value(command, name, type, help, [&arguments, read](const std::string& text) {
      arguments.asked = true;
      read(text);
    });
  };
  add("--partitions", "COUNT", "what the filter costs in so many partitions of a cluster, or auto",
      [&a](const std::string& text) {
        if (text == "auto") return;
        const std::uint64_t count = parse_positive(text);
        if (count > kMostParts) {
          throw std::invalid_argument(text + " partitions; at most " + std::to_string(kMostParts));
        }
        a.partitions = static_cast<std::uint32_t>(count);
      });
  add("--nodes", "COUNT", "nodes that share the filter; by default as many as their memory needs",
      [&a](const std::string& text) { a.nodes = parse_positive(text); });
  add("--node-memory", "BYTES", "memory of a node for filters; 64GiB by default",
      [&a](const std::string& text) {
        a.node_bytes = std::max<std::uint64_t>(1, parse_bits(text) / 8);
      });
  add("--replicas", "COUNT", "replicas of each node; 0 by default", [&a](const std::string& text) {
    a.replicas = parse_count(text);
    if (a.replicas > 100) throw std::invalid_argument(text + " replicas; at most 100");
  });
  add("--link", "BITS", "network of each machine, bits a second; 10G by default",
      [&a](const std::string& text) { a.link_bits = parse_positive_number(text); });
  add("--keys-per-second", "COUNT", "keys that the source gives a second; 3M by default",
      [&a](const std::string& text) { a.source_keys = parse_positive_number(text); });
  add("--batch", "KEYS", "keys that are asked together; 1000 by default",
      [&a](const std::string& text) { a.batch = parse_positive(text); });
  add("--ask-ns", "NS", "nanoseconds of a node's core to ask a line; 500 by default",
      [&a](const std::string& text) { a.server_ns_per_key = parse_positive_number(text); });
  add("--partition-ns", "NS",
      "nanoseconds of a node's core for each partition of a batch; 2400 by default",
      [&a](const std::string& text) { a.server_ns_per_partition = parse_positive_number(text); });
  add("--insert-ns", "NS", "nanoseconds of a node's core to fill a line; 2700 by default",
      [&a](const std::string& text) { a.server_ns_per_insert = parse_positive_number(text); });
}

int calc_partitions(const std::vector<std::uint64_t>& key_counts, double rate,
                    const ClusterAssumptions& assumptions, bool json) {
  std::vector<Sized> all;
  for (const std::uint64_t keys : key_counts) {
    const FilterOptions options{.capacity = keys, .false_positive_rate = rate};
    const FilterParameters parameters =
        parameters_for(BlockedLayout::kKind, BlockedLayout::geometry(options), options);
    all.push_back({parameters, redis::partition_cost(parameters, assumptions)});
  }
  Output output;
  if (json) {
    Report::Value filters = Report::Value::array();
    for (const Sized& each : all) {
      Report::Value filter{{"capacity", each.parameters.capacity}, {"false_positive_rate", rate}};
      for (const Row& row : rows()) filter[row.name] = row.value(each);
      filters.push_back(std::move(filter));
    }
    output.write(json_line({{"clusters", std::move(filters)}}));
  } else {
    TextTable table;
    const auto add_row = [&](std::string label, const auto& cell) {
      std::vector<std::string> cells{std::move(label)};
      for (const Sized& each : all) cells.push_back(cell(each));
      table.add_row(std::move(cells));
    };
    add_row("keys", [](const Sized& s) { return format_count(s.parameters.capacity); });
    for (const Row& row : rows()) add_row(label_of(row.name), row.text);
    output.write(table.text() + "\n" + assumptions_text(assumptions, rate));
  }
  output.flush();
  return kSome;
}

}  // namespace bloomery::cli
