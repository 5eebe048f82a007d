// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace bloomery::cli {

// GuardCost has what a guard with a filter has cost.
struct GuardCost {
  std::uint64_t queries = 0;      // of the flood, those that the database was asked
  std::uint64_t denied_rows = 0;  // that are there, and were not found
  std::uint64_t denied_new = 0;   // inserted after somebody had asked for them; not found
};

// GuardsCompared compares two guards before the same rows and the same flood of absent keys. The
// filter of one holds the rows' keys, the filter of the other the keys that were found absent. Both
// filters are of one size.
struct GuardsCompared {
  std::uint64_t row_count = 0;
  std::uint64_t flood_count = 0;
  std::uint64_t new_count = 0;
  GuardCost holds_present;
  GuardCost holds_absent;
};

// `flood_count` keys that do not exist are asked for, each twice; then every row; then the first
// of the flood become rows, and are asked for once more. The filters are sized for as many keys as
// there are rows, at 1 %. The same counts at every call.
GuardsCompared compare_guards(std::uint64_t row_count, std::uint64_t flood_count,
                              std::uint64_t new_count);

}  // namespace bloomery::cli
