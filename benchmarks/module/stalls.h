// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "benchmarks/module/settings.h"

namespace bloomery::module_bench {

// A stall: what a server with one large filter has to do, and how long another client waits
// meanwhile.
struct Stall {
  std::string name;
  double longest_ms = 0;  // a round trip of its PING
  double took_ms = 0;     // what it was told, until it was done
  std::string refused{};  // what it said instead
};

// Starts a server for it. Needs three times stalled_bytes() of memory, and once of disk.
std::vector<Stall> measure_stalls(const std::string& module, const Settings& settings);

}  // namespace bloomery::module_bench
