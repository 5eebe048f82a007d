#include "benchmarks/module/settings.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <string>

namespace bloomery::module_bench {
namespace {

constexpr std::uint64_t kUsualMostMib = 3072;

// What is free now, less what the machine needs besides.
std::uint64_t usual_memory_mib() {
  std::ifstream in("/proc/meminfo");
  std::string word;
  std::uint64_t kib = 0;
  while (in >> word) {
    if (word == "MemAvailable:") in >> kib;
  }
  return std::min(kUsualMostMib, kib / 1024 * 9 / 10);
}

}  // namespace

std::optional<Settings> parse_settings(int argc, char** argv, int& exit_status) {
  Settings settings;
  CLI::App app{
      "Measures a Redis or Valkey server with the module: what an item costs it in processor "
      "time,\n"
      "and how long others wait for what it does with a large filter.\n"
      "Exit status: 0, or 1 when a filter loses items or misses its rate, or 2 for a mistake on\n"
      "the command line or a fault."};
  app.name("./run bench --module");
  app.add_option("MODULE", settings.module, "bloomery.so")->required()->check(CLI::ExistingFile);
  app.add_option("--peer", settings.peer, "Another module with BF.*, measured beside it")
      ->check(CLI::ExistingFile);
  app.add_option("--only", settings.only,
                 "Only rows whose name this regular expression is found in");
  app.add_option("--memory", settings.memory_mib,
                 "MiB that servers may take: rows that need more are left out");
  app.add_option("--repetitions", settings.repetitions, "Of each measurement; the median counts")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_flag("--smoke", settings.smoke, "Tiny sizes: does every row still run?");
  app.add_option("--json", settings.json_file, "Write every figure to this file");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    exit_status = app.exit(error) == 0 ? 0 : 2;
    return std::nullopt;
  }
  if (settings.memory_mib == 0) settings.memory_mib = usual_memory_mib();
  return settings;
}

}  // namespace bloomery::module_bench
