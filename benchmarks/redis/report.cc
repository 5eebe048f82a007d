// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/redis/report.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "benchmarks/machine.h"

namespace bloomery::redis_bench {
namespace {

constexpr int kNameWidth = 28;
constexpr int kCellWidth = 15;

}  // namespace

void print_header(const Settings& settings) {
  fmt::print(
      "{}\n\nA look-up in a filter of {} keys at 1 %, half of them members: nanoseconds of the "
      "server's\nprocessor time, and how many thousands a second all threads had together.\n\n",
      bench::this_machine().description(), settings.keys());
  fmt::print("{:<{}}", "", kNameWidth);
  for (const std::size_t batch : settings.batches()) {
    for (const int threads : settings.threads()) {
      fmt::print("{:>{}}", fmt::format("{} x {}", threads, batch), kCellWidth);
    }
  }
  fmt::print("\n{:<{}}(threads x keys of a batch)\n", "", kNameWidth);
  std::fflush(stdout);
}

void print_way(const std::vector<Figure>& figures) {
  fmt::print("{:<{}}", figures.front().way, kNameWidth);
  for (const Figure& each : figures) {
    fmt::print("{:>{}}", fmt::format("{:.0f} {:.0f}k", each.server_ns, each.per_second / 1000),
               kCellWidth);
  }
  bool loses_keys = false;
  for (const Figure& each : figures) loses_keys = loses_keys || each.loses_keys;
  fmt::print("{}\n", loses_keys ? "  LOSES KEYS" : "");
  std::fflush(stdout);
}

std::string to_json(const std::vector<Figure>& figures) {
  nlohmann::json report{{"machine", bench::this_machine().description()},
                        {"measured_on", bench::today()},
                        {"figures", nlohmann::json::array()}};
  for (const Figure& each : figures) {
    report["figures"].push_back({{"way", each.way},
                                 {"batch", each.batch},
                                 {"threads", each.threads},
                                 {"server_ns", each.server_ns},
                                 {"per_second", each.per_second},
                                 {"loses_keys", each.loses_keys}});
  }
  return report.dump(2) + "\n";
}

}  // namespace bloomery::redis_bench
