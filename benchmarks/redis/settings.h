#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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

// What the command line says. Prints help or a mistake and returns nothing but the exit status
// then.
std::optional<Settings> parse_settings(int argc, char** argv, int& exit_status);

}  // namespace bloomery::redis_bench
