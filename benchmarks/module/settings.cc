// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/module/settings.h"

#include <algorithm>
#include <fstream>
#include <string>

#include "benchmarks/program.h"

namespace bloomery::module_bench {
namespace {

constexpr std::uint64_t kUsualMostMib = 3072;

// Returns nine tenths of the memory that is free now, as the machine needs some besides; at most
// kUsualMostMib.
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

void add_settings(cli::Command command, Settings& settings) {
  bench::add_file(command, "MODULE", settings.module, "bloomery.so").required();
  bench::add_file(command, "--peer", settings.peer, "Another module with BF.*, measured beside it");
  command.add_option("--only", settings.only,
                     "Only rows whose name this regular expression is found in");
  bench::add_number(command, "--memory", 0, std::uint64_t{1} << 40,
                    "MiB that servers may take: rows that need more are left out",
                    [&settings](std::uint64_t number) { settings.memory_mib = number; });
  bench::add_number(
      command, "--repetitions", 1, 1000, "Of each measurement, 5 by default; the median counts",
      [&settings](std::uint64_t number) { settings.repetitions = static_cast<int>(number); });
  command.add_flag("--smoke", settings.smoke, "Tiny sizes: does every row still run?");
  command.add_option("--json", settings.json_file, "Write every figure to this file");
}

void complete(Settings& settings) {
  if (settings.memory_mib == 0) settings.memory_mib = usual_memory_mib();
}

}  // namespace bloomery::module_bench
