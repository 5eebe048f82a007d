// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/module/report.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "benchmarks/machine.h"

namespace bloomery::module_bench {
namespace {

constexpr int kNameWidth = 50;

using nlohmann::json;

json stall_json(const Stall& stall) {
  if (!stall.refused.empty()) return {{"during", stall.name}, {"refused", stall.refused}};
  return {{"during", stall.name}, {"longest_ms", stall.longest_ms}, {"took_ms", stall.took_ms}};
}

json outcome_json(const Outcome& outcome) {
  json result;
  if (outcome.ns > 0) result["ns"] = outcome.ns;
  if (!outcome.note.empty()) result["note"] = outcome.note;
  return result;
}

}  // namespace

void print_header(const std::vector<std::string>& modules) {
  fmt::print(
      "{}\n\nProcessor time of the server, in ns an item, and how many times GET's\n"
      "(of a million strings; beside a batch, GET with pipeline 64).\n\n",
      bench::this_machine().description());
  fmt::print("{:<{}}", "", kNameWidth);
  for (const std::string& each : modules) fmt::print("  {:>9} {:>7}", each, "x GET");
  fmt::print("\n");
}

void print_figure(const Figure& figure) {
  fmt::print("{:<{}}", figure.row, kNameWidth);
  for (std::size_t i = 0; i < figure.outcomes.size(); ++i) {
    const Outcome& outcome = figure.outcomes[i];
    if (outcome.ns > 0) {
      const double get_ns = figure.get_ns[i];
      const std::string ratio = get_ns > 0 ? fmt::format("{:.2f}", outcome.ns / get_ns) : "";
      fmt::print("  {:>9.1f} {:>7}", outcome.ns, ratio);
    }
    if (!outcome.note.empty()) fmt::print("  {}", outcome.note);
  }
  fmt::print("\n");
  std::fflush(stdout);
}

void print_stalls(const std::vector<std::string>& modules,
                  const std::vector<std::vector<Stall>>& stalls) {
  fmt::print("\nLongest wait of another client in ms, and what the command took.\n\n{:<{}}", "",
             kNameWidth);
  for (const std::string& each : modules) fmt::print("  {:>9} {:>7}", each, "took");
  fmt::print("\n");
  for (std::size_t row = 0; row < stalls[0].size(); ++row) {
    fmt::print("{:<{}}", stalls[0][row].name, kNameWidth);
    for (const auto& of : stalls) {
      const Stall& stall = of[row];
      if (stall.refused.empty()) {
        fmt::print("  {:>9.2f} {:>7.1f}", stall.longest_ms, stall.took_ms);
      } else {
        fmt::print("  {}", stall.refused);
      }
    }
    fmt::print("\n");
  }
}

std::string to_json(const std::vector<std::string>& modules, const std::vector<Figure>& figures,
                    const std::vector<std::vector<Stall>>& stalls) {
  json report{{"machine", bench::this_machine().description()}, {"measured_on", bench::today()}};
  for (std::size_t i = 0; i < modules.size(); ++i) {
    json of{{"module", modules[i]}, {"rows", json::array()}, {"stalls", json::array()}};
    for (const Figure& figure : figures) {
      json row = outcome_json(figure.outcomes[i]);
      row["row"] = figure.row;
      of["rows"].push_back(row);
    }
    for (const Stall& each : stalls.empty() ? std::vector<Stall>{} : stalls[i]) {
      of["stalls"].push_back(stall_json(each));
    }
    report["modules"].push_back(of);
  }
  return report.dump(2) + "\n";
}

}  // namespace bloomery::module_bench
