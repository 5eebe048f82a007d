// SPDX-License-Identifier: Apache-2.0
// ./run bench --module: what commands on filters cost a server, beside GET and another module.
#include <fmt/core.h>

#include <map>
#include <memory>
#include <regex>
#include <vector>

#include "benchmarks/module/one_processor.h"
#include "benchmarks/module/report.h"
#include "benchmarks/module/rows.h"
#include "benchmarks/module/settings.h"
#include "benchmarks/module/stalls.h"
#include "benchmarks/program.h"
#include "benchmarks/text_file.h"

namespace bloomery::module_bench {
namespace {

int run(const Settings& settings) {
  if (!settings.json_file.empty()) bench::require_writable(settings.json_file);
  const std::regex wanted(settings.only);
  std::vector<std::string> names{"bloomery"};
  std::vector<std::string> modules{settings.module};
  if (!settings.peer.empty()) {
    names.emplace_back("peer");
    modules.push_back(settings.peer);
  }
  print_header(names);

  std::vector<Figure> figures;
  bool is_wrong = false;
  {
    const OneProcessor together;
    std::vector<std::unique_ptr<Subject>> subjects;
    for (const std::string& each : modules) {
      subjects.push_back(std::make_unique<Subject>(each, settings));
    }
    std::map<std::string, std::vector<double>> known;
    for (const Row& row : item_rows(settings)) {
      if (!std::regex_search(row.name, wanted)) continue;
      if (row.needs_bytes * subjects.size() > settings.memory_bytes()) {
        fmt::print("{}: left out, needs {} MiB (--memory)\n", row.name,
                   row.needs_bytes * subjects.size() >> 20);
        continue;
      }
      Figure figure{.row = row.name};
      for (std::size_t i = 0; i < subjects.size(); ++i) {
        figure.outcomes.push_back(row.measure(*subjects[i]));
        is_wrong |= figure.outcomes.back().is_wrong;
        known[row.name].push_back(figure.outcomes.back().ns);
        const auto get = known.find(row.beside);
        figure.get_ns.push_back(get == known.end() ? 0 : get->second[i]);
      }
      print_figure(figure);
      figures.push_back(figure);
    }
  }

  std::vector<std::vector<Stall>> stalls;
  const std::uint64_t needed = 3 * settings.stalled_bytes();
  if (!std::regex_search("stalls", wanted)) {
  } else if (needed > settings.memory_bytes()) {
    fmt::print("\nstalls: left out, need {} MiB (--memory)\n", needed >> 20);
  } else {
    for (const std::string& each : modules) stalls.push_back(measure_stalls(each, settings));
    print_stalls(names, stalls);
  }
  if (!settings.json_file.empty()) {
    bench::write_text(settings.json_file, to_json(names, figures, stalls));
  }
  return is_wrong ? 1 : 0;
}

}  // namespace
}  // namespace bloomery::module_bench

int main(int argc, char** argv) {
  using namespace bloomery::module_bench;
  const bloomery::bench::Program program{
      .name = "./run bench --module",
      .description =
          "Measures a Redis or Valkey server with the module: what an item costs it in processor "
          "time,\n"
          "and how long others wait for what it does with a large filter.\n"
          "Exit status: 0, or 1 when a filter loses items or misses its rate, or 2 for a mistake "
          "on\n"
          "the command line or a fault."};
  Settings settings;
  return bloomery::bench::run_program(
      program, argc, argv, [&](bloomery::cli::Command command) { add_settings(command, settings); },
      [&] {
        complete(settings);
        return run(settings);
      });
}
