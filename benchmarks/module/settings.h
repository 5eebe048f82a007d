// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "cli/command_line.h"

namespace bloomery::module_bench {

struct Settings {
  bool smoke = false;  // seconds instead of minutes; the figures mean nothing
  std::string module;
  std::string peer;  // another module with the same commands, or empty
  std::string json_file;
  std::string only = ".*";       // a regular expression on the names of rows
  std::uint64_t memory_mib = 0;  // what servers may take; 0: up to three GiB, as there is
  int repetitions = 5;

  double seconds() const noexcept { return smoke ? 0.01 : 1; }  // of the server, a repetition
  int rounds() const noexcept { return smoke ? 1 : repetitions; }
  std::uint64_t memory_bytes() const noexcept { return memory_mib << 20; }
  // "1M" and "50M".
  std::uint64_t near_keys() const noexcept { return smoke ? 10'000 : 1'000'000; }
  std::uint64_t far_keys() const noexcept { return smoke ? 50'000 : 50'000'000; }
  std::uint64_t stalled_bytes() const noexcept { return std::uint64_t{1} << (smoke ? 24 : 30); }
};

// Declares what can be said of them, and fills in what was not said.
void add_settings(cli::Command command, Settings& settings);
void complete(Settings& settings);

}  // namespace bloomery::module_bench
