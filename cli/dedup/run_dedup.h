// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bloomery/open/place_location.h"
#include "bloomery/source/source_options.h"
#include "cli/arguments.h"
#include "cli/key_choice.h"
#include "cli/patience.h"

namespace bloomery::cli {

// DedupArguments: the words of `bloomery dedup` on the command line.
struct DedupArguments {
  std::vector<std::string> inputs;
  SourceOptions source;
  KeyChoice keys;
  NewFilter filter;
  std::optional<PlaceLocation> state;
  std::uint64_t save_every_ms = 60'000;
  Patience patience;
  bool exact = false;
  unsigned threads = 1;
  bool quiet = false;
  bool json = false;
};

// Prints the records whose keys were not seen before, and a report on standard error. The command's
// exit status. Throws what keeps it from reading, printing or saving.
int run_dedup(const DedupArguments& arguments);

}  // namespace bloomery::cli
