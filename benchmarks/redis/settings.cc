// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/redis/settings.h"

#include "benchmarks/program.h"

namespace bloomery::redis_bench {

void add_settings(cli::Command command, Settings& settings) {
  bench::add_file(command, "MODULE", settings.module, "bloomery.so").required();
  command.add_option("--only", settings.only,
                     "Only ways whose name this regular expression is found in");
  bench::add_number(
      command, "--cell", 1, 60'000, "Milliseconds for each figure, 200 by default",
      [&settings](std::uint64_t number) { settings.milliseconds = static_cast<int>(number); });
  command.add_flag("--smoke", settings.smoke, "Tiny sizes: does every way still work?");
  command.add_option("--json", settings.json_file, "Write every figure to this file");
}

void complete(Settings& settings) {
  if (settings.smoke) settings.milliseconds = 5;
}

}  // namespace bloomery::redis_bench
