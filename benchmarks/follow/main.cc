// SPDX-License-Identifier: Apache-2.0
// ./run bench --follow: how fast a follower carries what databases commit.
#include <csignal>
#include <map>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "benchmarks/follow/report.h"
#include "benchmarks/follow/scene.h"
#include "benchmarks/follow/settings.h"
#include "benchmarks/program.h"
#include "benchmarks/text_file.h"

namespace bloomery::follow_bench {
namespace {

constexpr Filter kFilters[] = {Filter::none, Filter::bitmap, Filter::bloom, Filter::file};

// In turns, so that whatever else the machine does is shared by all.
std::vector<Row> measure(Database database, const Settings& settings,
                         const cli::EndingSignals& signals) {
  const std::regex wanted(settings.only);
  std::vector<Row> rows;
  std::optional<Scene> scene;
  for (const Load load : {Load::single, Load::bulk}) {
    std::map<Filter, std::vector<Figure>> figures;
    for (int run = 0; run < settings.runs; ++run) {
      for (const Filter filter : kFilters) {
        if (!std::regex_search(name_of(database, load, filter), wanted)) continue;
        if (!scene) scene.emplace(database, settings, signals);
        figures[filter].push_back(scene->run(load, filter));
      }
    }
    for (const auto& [filter, runs] : figures) {
      rows.push_back(middle_of(name_of(database, load, filter), runs));
      print_row(rows.back());
    }
  }
  return rows;
}

int run(const Settings& settings) {
  if (!settings.json_file.empty()) bench::require_writable(settings.json_file);
  std::signal(SIGPIPE, SIG_IGN);
  const cli::EndingSignals signals;  // before any thread begins
  std::vector<Row> all;
  try {
    print_header(settings);
    for (const Database database : {Database::postgres, Database::mariadb}) {
      const std::vector<Row> rows = measure(database, settings, signals);
      all.insert(all.end(), rows.begin(), rows.end());
    }
  } catch (const cli::Interrupted& interrupted) {
    return 128 + interrupted.signal;
  }
  if (!settings.json_file.empty()) bench::write_text(settings.json_file, to_json(all));
  return 0;
}

}  // namespace
}  // namespace bloomery::follow_bench

int main(int argc, char** argv) {
  using namespace bloomery::follow_bench;
  const bloomery::bench::Program program{
      .name = "./run bench --follow",
      .description =
          "Measures how fast bloomery follow carries what PostgreSQL and MariaDB commit into a "
          "filter in\n"
          "Redis or in a file, and what that costs all of them. Starts servers of its own in a "
          "temporary\n"
          "folder.\n"
          "Exit status: 0, or 2 for a mistake on the command line or a fault."};
  Settings settings;
  return bloomery::bench::run_program(
      program, argc, argv, [&](bloomery::cli::Command command) { add_settings(command, settings); },
      [&] {
        complete(settings);
        return run(settings);
      });
}
