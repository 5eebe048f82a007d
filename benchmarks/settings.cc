// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/settings.h"

#include <algorithm>
#include <stdexcept>

#include "benchmarks/peers/boost_bloom.h"
#include "benchmarks/program.h"

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

void add_settings(cli::Command command, Settings& settings) {
  command.add_option("--filter", settings.filter,
                     "Only rows whose name this regular expression is found in");
  const auto take_sections = [&settings](const std::vector<std::string>& sections) {
    for (const std::string& each : sections) {
      if (each == "speed" || each == "space" || each == "rates") continue;
      throw std::invalid_argument("--section " + each + " is none of speed, space, rates");
    }
    settings.sections = sections;
  };
  command.add_options("--section", take_sections,
                      "Only these: speed, space, rates (may be repeated)");
  command.add_flag("--large", settings.large, "Add 10^9 keys: 1.3 GB and some minutes more");
  command.add_flag(
      "--full-rates", settings.full_rates,
      "Every key pattern by itself, ten times the trials, and 10^8 keys: minutes more");
  command.add_flag("--smoke", settings.smoke, "Tiny sizes: does every row still run?");
  command.add_option("--json", settings.json_file,
                     "Write every figure to this file; benchmarks/draw makes a chart of it");
  command.add_option(
      "--peer-include", settings.peer_include,
      "A folder with headers of peers that Debian has not: boost/bloom of Boost.Bloom,\n"
      "and those of Boost that it needs");
  add_number(
      command, "--repetitions", 1, 1000, "Of each measurement, 5 by default; the median counts",
      [&settings](std::uint64_t number) { settings.repetitions = static_cast<int>(number); });
  add_number(command, "--batch", 1, 1 << 24,
             "Keys a call of batch insert and look-up, 4096 by default",
             [&settings](std::uint64_t number) { settings.batch = number; });
}

void complete(Settings& settings) {
  if (settings.smoke) settings.repetitions = 1;
  if (!settings.peer_include.empty() && !has_boost_bloom()) {
    throw std::invalid_argument("--peer-include " + settings.peer_include +
                                ": built without its headers; say it to ./run bench");
  }
}

}  // namespace bloomery::bench
