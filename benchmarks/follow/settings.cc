// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/follow/settings.h"

#include "benchmarks/program.h"

namespace bloomery::follow_bench {

void add_settings(cli::Command command, Settings& settings) {
  bench::add_file(command, "MODULE", settings.module, "bloomery.so").required();
  bench::add_file(command, "COMMAND", settings.command, "bloomery").required();
  command.add_option("--only", settings.only,
                     "Only what this regular expression is found in: \"mariadb bulk bloom\"");
  bench::add_number(command, "--rows", 1, 100'000'000,
                    "Rows of the bulk load, a million by default",
                    [&settings](std::uint64_t number) { settings.bulk_rows = number; });
  bench::add_number(
      command, "--runs", 1, 99, "Of each, of which the middle one is told; 3 by default",
      [&settings](std::uint64_t number) { settings.runs = static_cast<int>(number); });
  command.add_flag("--smoke", settings.smoke, "A few rows: does all of it still work?");
  command.add_option("--json", settings.json_file, "Write every figure to this file");
}

void complete(Settings& settings) {
  if (!settings.smoke) return;
  settings.bulk_rows = 2'000;
  settings.single_rows = 60;
  settings.runs = 1;
}

}  // namespace bloomery::follow_bench
