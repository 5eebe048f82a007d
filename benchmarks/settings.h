#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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
  int repetitions = 5;
  std::size_t batch = 4096;

  bool wants(const std::string& section) const;
  std::vector<SizeClass> sizes() const;
};

// What the command line says. Prints help or a mistake and returns nothing but the exit status
// then.
std::optional<Settings> parse_settings(int argc, char** argv, int& exit_status);

}  // namespace bloomery::bench
