// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/command_line.h"

namespace bloomery::bench {

// How many keys, and the cache that they are to show at 1 %.
struct SizeClass {
  std::string name;
  std::uint64_t keys;
};

struct Settings {
  bool smoke = false;
  bool large = false;
  bool full_rates = false;
  std::string filter = ".*";  // a regular expression on the names of rows
  std::vector<std::string> sections;
  std::string json_file;
  std::string peer_include;  // where ./run took headers of peers from
  int repetitions = 5;
  std::size_t batch = 4096;

  bool wants(const std::string& section) const;
  std::vector<SizeClass> sizes() const;
};

// Declares what can be said of them, and fills in what was not said.
void add_settings(cli::Command command, Settings& settings);
void complete(Settings& settings);

}  // namespace bloomery::bench
