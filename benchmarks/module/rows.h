// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "benchmarks/module/settings.h"
#include "benchmarks/module/subject.h"

namespace bloomery::module_bench {

struct Row {
  std::string name;
  std::string beside;  // the row of GET that it is compared with
  std::uint64_t needs_bytes;
  std::function<Outcome(Subject&)> measure;
};

// Returns the rows of an item's cost, in the order in which they are measured: GET first.
std::vector<Row> item_rows(const Settings& settings);

}  // namespace bloomery::module_bench
