// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <benchmark/benchmark.h>

#include <cstdint>
#include <functional>

#include "benchmarks/timing.h"

namespace bloomery::bench {

// Runs `body` through Google Benchmark, `iterations` times in each repetition, and returns the
// median cost of a key. `body` loops over the state and returns how many keys it used.
Timing collect(const std::function<std::uint64_t(benchmark::State&)>& body,
               std::uint64_t iterations, int repetitions);

}  // namespace bloomery::bench
