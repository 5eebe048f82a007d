// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "benchmarks/settings.h"
#include "benchmarks/timing.h"

namespace bloomery::bench {

// The cheapest way found to touch a random 64-byte line.
struct LineCost {
  Timing timing;
  std::string how;  // "prefetcht1, 64 ahead"
};

// The cost of random lines of an array for one core: no filter that touches one line a key can be
// faster.
struct MemoryLimit {
  std::uint64_t byte_count = 0;
  LineCost read;
  LineCost write;  // read, change, write back
  LineCost read_small_pages;
  LineCost write_small_pages;
  double huge_page_share = 0;  // of the array for which huge pages were advised
};

MemoryLimit measure_memory_limit(std::uint64_t byte_count, const Settings& settings);

}  // namespace bloomery::bench
