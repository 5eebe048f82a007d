#include "benchmarks/settings.h"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace bloomery::bench {

bool Settings::wants(const std::string& section) const {
  return sections.empty() || std::ranges::find(sections, section) != sections.end();
}

std::vector<SizeClass> Settings::sizes() const {
  if (smoke) return {{"smoke", 2'000}};
  std::vector<SizeClass> all{{"L2", 100'000}, {"L3", 10'000'000}, {"DRAM", 100'000'000}};
  if (large) all.push_back({"DRAM", 1'000'000'000});
  return all;
}

std::optional<Settings> parse_settings(int argc, char** argv, int& exit_status) {
  Settings settings;
  CLI::App app{
      "Measures the filters beside peers and beside the memory of this machine.\n"
      "Exit status: 0, or 1 when a row loses keys or misses the rate it was asked for,\n"
      "or 2 for a mistake on the command line or a fault."};
  app.name("bloomery_bench");
  app.add_option("--filter", settings.filter,
                 "Only rows whose name this regular expression is found in");
  app.add_option("--section", settings.sections,
                 "Only these: speed, space, rates (may be repeated)")
      ->check(CLI::IsMember({"speed", "space", "rates"}));
  app.add_flag("--large", settings.large, "Add 10^9 keys: 1.3 GB and some minutes more");
  app.add_flag("--rates", settings.full_rates,
               "Every key pattern by itself, ten times the trials, and 10^8 keys: minutes more");
  app.add_flag("--smoke", settings.smoke, "Tiny sizes: does every row still run?");
  app.add_option("--json", settings.json_file,
                 "Write every figure to this file; benchmarks/draw makes a chart of it");
  app.add_option("--repetitions", settings.repetitions, "Of each measurement; the median counts")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--batch", settings.batch, "Keys a call of batch insert and look-up")
      ->check(CLI::Range(1, 1 << 24))
      ->capture_default_str();
  app.footer(
      "Examples:\n"
      "  ./run bench\n"
      "  ./run bench --filter 'BlockedFilter 1 %|RocksDB' --section speed --json figures.json\n"
      "  ./run bench --section rates --rates\n"
      "  ./run bench --json figures.json && benchmarks/draw figures.json --svg chart.svg");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    exit_status = app.exit(error) == 0 ? 0 : 2;
    return std::nullopt;
  }
  if (settings.smoke) settings.repetitions = 1;
  return settings;
}

}  // namespace bloomery::bench
