// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/median.h"
#include "benchmarks/module/connection.h"
#include "benchmarks/module/requests.h"
#include "benchmarks/module/server_process.h"
#include "benchmarks/module/settings.h"

namespace bloomery::module_bench {

// An outcome is what an item cost, or why no cost is known.
struct Outcome {
  double ns = 0;
  std::string note{};  // beside the figure
  bool is_wrong = false;
};

// A filter of the rate that all here have, and how many items it was filled with: 0, 1, ...
inline constexpr double kRate = 0.01;
struct Filled {
  std::uint64_t items = 0;
  std::string wrong{};                              // what is wrong with its answers
  std::map<std::string, std::vector<double>> ns{};  // an item, by shape_name()
};
std::string shape_name(const Shape& shape);
std::vector<Shape> ways_of_adding();
using bench::median;

// A module under measurement: its server, and what is in it already.
class Subject {
 public:
  Subject(const std::string& module, const Settings& settings);

  // Processor time of the server for each item: of strings, of which there are so many;
  Outcome get(std::uint64_t keys, std::size_t pipeline);
  Outcome set(std::uint64_t keys, std::size_t pipeline);
  // of one command on items of a filter, those it has or others.
  Outcome look_up(const Shape& shape, const Filled& filled, const std::string& key, bool members);

  // Makes it when it is first asked for, by BF.RESERVE or BLOOM.RESERVE. Adds in all the ways that
  // are measured, in turns. No items where the module has no such command.
  const Filled& reserved(const std::string& command, std::uint64_t capacity);
  // Made by its first item.
  const Filled& grown(std::uint64_t items);

  std::string ask(const Words& words) { return client_.ask(words); }
  bool knows(const std::string& command);
  // Returns a field of BF.INFO; nothing from a module that cannot say it.
  std::optional<std::uint64_t> info(const std::string& key, const std::string& field);

  static std::string reserved_key(const std::string& command, std::uint64_t capacity);
  static std::string grown_key(std::uint64_t items);

 private:
  Outcome measure(const std::vector<Exchange>& exchanges);
  std::uint64_t asked_items() const noexcept { return settings_.smoke ? 10'000 : 400'000; }
  void add(const Shape& shape, const std::string& key, std::uint64_t count, Filled& filled);
  std::string mistake_of(const std::string& key, std::uint64_t items);

  Settings settings_;
  ServerProcess server_;
  Connection client_;
  std::uint64_t string_count_ = 0;
  std::map<std::string, Filled> filled_{};
  std::map<std::string, bool> known_{};  // commands that were asked about
};

}  // namespace bloomery::module_bench
