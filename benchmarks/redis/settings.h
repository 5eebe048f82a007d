// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/command_line.h"

namespace bloomery::redis_bench {

struct Settings {
  bool smoke = false;  // a second; the figures mean nothing
  std::string module;
  std::string json_file;
  std::string only = ".*";  // a regular expression on the names of ways
  int milliseconds = 200;   // of each cell

  std::chrono::milliseconds cell() const { return std::chrono::milliseconds(milliseconds); }
  std::uint64_t keys() const noexcept { return smoke ? 10'000 : 1'000'000; }
  std::vector<std::size_t> batches() const {
    return smoke ? std::vector<std::size_t>{1, 100} : std::vector<std::size_t>{1, 100, 1'000};
  }
  std::vector<int> threads() const {
    return smoke ? std::vector<int>{1, 4} : std::vector<int>{1, 8, 64};
  }
};

// Declares what can be said of them, and fills in what was not said.
void add_settings(cli::Command command, Settings& settings);
void complete(Settings& settings);

}  // namespace bloomery::redis_bench
