#include "benchmarks/redis/settings.h"

#include <CLI/CLI.hpp>

namespace bloomery::redis_bench {

std::optional<Settings> parse_settings(int argc, char** argv, int& exit_status) {
  Settings settings;
  CLI::App app{
      "Measures what a look-up costs a Redis or Valkey server, in the ways that people ask "
      "filters\n"
      "there: pipelines of GETBIT, a script, this library over other systems' layouts, BF.* and\n"
      "BLOOM.*, from one thread and from many.\n"
      "Exit status: 0, or 1 when a way loses keys, or 2 for a mistake on the command line or a\n"
      "fault."};
  app.name("./run bench --redis");
  app.add_option("MODULE", settings.module, "bloomery.so")->required()->check(CLI::ExistingFile);
  app.add_option("--only", settings.only,
                 "Only ways whose name this regular expression is found in");
  app.add_option("--cell", settings.milliseconds, "Milliseconds for each figure")
      ->check(CLI::Range(1, 60'000))
      ->capture_default_str();
  app.add_flag("--smoke", settings.smoke, "Tiny sizes: does every way still work?");
  app.add_option("--json", settings.json_file, "Write every figure to this file");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    exit_status = app.exit(error) == 0 ? 0 : 2;
    return std::nullopt;
  }
  if (settings.smoke) settings.milliseconds = 5;
  return settings;
}

}  // namespace bloomery::redis_bench
