// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "benchmarks/row.h"

namespace bloomery::bench {

// All rows, in the order of the table.
std::vector<Row> all_rows();

}  // namespace bloomery::bench
