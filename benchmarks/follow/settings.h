// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "cli/command_line.h"

namespace bloomery::follow_bench {

struct Settings {
  bool smoke = false;  // a few rows; the figures mean nothing
  std::string module;
  std::string command;  // bloomery, which follows
  std::string json_file;
  std::string only = ".*";  // a regular expression on "postgres bulk bitmap"
  std::uint64_t bulk_rows = 1'000'000;
  std::uint64_t single_rows = 6'000;
  int runs = 3;
};

// Declares what can be said of them, and fills in what was not said.
void add_settings(cli::Command command, Settings& settings);
void complete(Settings& settings);

}  // namespace bloomery::follow_bench
