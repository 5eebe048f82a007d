// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/follow/report.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "benchmarks/machine.h"

namespace bloomery::follow_bench {
namespace {

template <class Member>
auto middle(const std::vector<Figure>& runs, Member member) {
  std::vector<std::remove_cvref_t<decltype(runs.front().*member)>> values;
  for (const Figure& each : runs) values.push_back(each.*member);
  std::ranges::sort(values);
  return values[values.size() / 2];
}

}  // namespace

std::string name_of(Database database, Load load, Filter filter) {
  const char* const filters[] = {"none", "bitmap", "bloom", "file"};
  return std::string(database == Database::postgres ? "postgres " : "mariadb ") +
         (load == Load::bulk ? "bulk " : "single ") + filters[static_cast<int>(filter)];
}

Row middle_of(const std::string& name, const std::vector<Figure>& runs) {
  return {.name = name,
          .middle = {.committed = middle(runs, &Figure::committed),
                     .carried = middle(runs, &Figure::carried),
                     .database_us = middle(runs, &Figure::database_us),
                     .follower_us = middle(runs, &Figure::follower_us),
                     .redis_us = middle(runs, &Figure::redis_us),
                     .follower_bytes = middle(runs, &Figure::follower_bytes)}};
}

void print_header(const Settings& settings) {
  fmt::print(
      "{}\n\nRows a second: committed, and carried into a filter until its watermark has the last "
      "one;\nmicroseconds of processor time a row; the most memory that the follower ever had.\n"
      "Single commits of 3 sessions, {} rows; a bulk load is {} rows in one statement. The middle "
      "of\n{} runs.\n\n{:<24}{:>10}{:>10}{:>8}{:>10}{:>10}{:>8}{:>8}\n",
      bench::this_machine().description(), settings.single_rows, settings.bulk_rows, settings.runs,
      "", "committed", "carried", "share", "database", "follower", "redis", "MiB");
  std::fflush(stdout);
}

void print_row(const Row& row) {
  const Figure& each = row.middle;
  fmt::print("{:<24}{:>10.0f}{:>10.0f}{:>8.2f}{:>10.2f}{:>10.2f}{:>8.2f}{:>8.0f}\n", row.name,
             each.committed, each.carried, each.carried / each.committed, each.database_us,
             each.follower_us, each.redis_us, static_cast<double>(each.follower_bytes) / (1 << 20));
  std::fflush(stdout);
}

std::string to_json(const std::vector<Row>& rows) {
  nlohmann::json report{{"machine", bench::this_machine().description()},
                        {"measured_on", bench::today()},
                        {"figures", nlohmann::json::array()}};
  for (const auto& [name, each] : rows) {
    report["figures"].push_back({{"name", name},
                                 {"committed", each.committed},
                                 {"carried", each.carried},
                                 {"database_us", each.database_us},
                                 {"follower_us", each.follower_us},
                                 {"redis_us", each.redis_us},
                                 {"follower_bytes", each.follower_bytes}});
  }
  return report.dump(2) + "\n";
}

}  // namespace bloomery::follow_bench
