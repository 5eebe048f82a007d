// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "benchmarks/row_result.h"
#include "benchmarks/rows.h"
#include "benchmarks/settings.h"

namespace bloomery::bench {

// Fills the row's filter to its capacity and measures every operation that it has.
RowResult measure_row(const Row& row, const SizeClass& size, const Settings& settings);

}  // namespace bloomery::bench
