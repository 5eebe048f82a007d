// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "benchmarks/row_result.h"
#include "benchmarks/settings.h"

// Guava's BloomFilter<Long> on the Java machine, for context. A program in Java measures it as the
// other rows are measured, with the same keys, in a process of its own; see GuavaBench.java.
namespace bloomery::bench {

// Fills the result, or leaves the row out with a reason: "not installed: apt install ...". Starts
// and ends a process; never throws for what that does.
void measure_guava(const SizeClass& size, const Settings& settings, RowResult& result);

// Takes what the program printed: a JSON object a line. Throws std::runtime_error, with the first
// other line, when a figure is missing.
void read_guava(std::string_view output, std::uint64_t keys, RowResult& result);

}  // namespace bloomery::bench
