// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bloomery/hash/native_hash.h"
#include "cli/command_line.h"

namespace bloomery::bench {

struct RateSettings {
  std::vector<std::uint64_t> keys{10'000, 100'000, 1'000'000, 10'000'000, 100'000'000};
  std::vector<double> rates{0.01, 0.001, 0.0001};
  std::vector<HashId> hashes{HashId::product, HashId::fold};
  std::string pattern = ".*";  // a regular expression on the names of patterns
  std::uint64_t positives = 20'000;
  bool all = false;  // print each pattern
};

// Declares what can be said of them.
void add_settings(cli::Command command, RateSettings& settings);

}  // namespace bloomery::bench
