// SPDX-License-Identifier: Apache-2.0
#include "cli/experiments/inverted_guard.h"

#include <string>

#include "bloomery/format/bloom_filter_helper.h"
#include "cli/experiments/key_ranges.h"

namespace bloomery::cli {
namespace {

std::string row(std::uint64_t i) {
  return "row" + std::to_string(i);
}
std::string absent(std::uint64_t i) {
  return "none" + std::to_string(i);
}

AnyFilter filter_for(std::uint64_t keys) {
  return bloom_filter_helper::kFormat.create({.capacity = keys, .false_positive_rate = 0.01}, {});
}

// with_present: keys that the filter does not have do not exist.
GuardCost with_present(std::uint64_t rows, std::uint64_t flood, std::uint64_t new_rows) {
  AnyFilter filter = filter_for(rows);
  insert_range(filter, 0, rows, row);
  GuardCost cost;
  cost.queries = 2 * count_present(filter, 0, flood, absent);
  cost.denied_rows = rows - count_present(filter, 0, rows, row);
  insert_range(filter, 0, new_rows, absent);  // with its row
  cost.denied_new = new_rows - count_present(filter, 0, new_rows, absent);
  return cost;
}

// with_absent: keys that the filter has do not exist. They were asked for before, and the database
// said no.
GuardCost with_absent(std::uint64_t rows, std::uint64_t flood, std::uint64_t new_rows) {
  AnyFilter filter = filter_for(rows);
  GuardCost cost;
  for (int round = 0; round < 2; ++round) {
    for (std::uint64_t i = 0; i < flood; ++i) {
      if (filter.may_contain(absent(i))) continue;
      ++cost.queries;
      filter.insert(absent(i));
    }
  }
  cost.denied_rows = count_present(filter, 0, rows, row);
  cost.denied_new = count_present(filter, 0, new_rows, absent);
  return cost;
}

}  // namespace

GuardsCompared compare_guards(std::uint64_t row_count, std::uint64_t flood_count,
                              std::uint64_t new_count) {
  return {.row_count = row_count,
          .flood_count = flood_count,
          .new_count = new_count,
          .holds_present = with_present(row_count, flood_count, new_count),
          .holds_absent = with_absent(row_count, flood_count, new_count)};
}

}  // namespace bloomery::cli
