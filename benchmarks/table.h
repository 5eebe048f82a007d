// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "benchmarks/machine.h"
#include "benchmarks/memory_limit.h"
#include "benchmarks/rates.h"
#include "benchmarks/row_result.h"
#include "benchmarks/settings.h"
#include "benchmarks/space.h"

// Tables for people. Each print function prints to standard output at once.
namespace bloomery::bench {

void print_machine(const Machine& machine, const Settings& settings);

void print_size_header(const SizeClass& size, const MemoryLimit& limit);
void print_row(const RowResult& result, const MemoryLimit& limit);

void print_space(const std::vector<SpaceResult>& results);

// A row a rate and a column a number of keys, each cell the worst of the patterns; in full, a line
// a pattern.
void print_rates(const std::vector<RateResult>& results, bool full);

}  // namespace bloomery::bench
