// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "benchmarks/machine.h"
#include "benchmarks/memory_limit.h"
#include "benchmarks/rates.h"
#include "benchmarks/row_result.h"
#include "benchmarks/settings.h"
#include "benchmarks/space.h"

namespace bloomery::bench {

struct SizeReport {
  SizeClass size;
  MemoryLimit limit;
  std::vector<RowResult> rows;
};

// Everything that one run found.
struct Report {
  Machine machine;
  std::string measured_on;  // "2026-11-20"
  int repetitions = 0;
  std::size_t batch = 0;
  std::vector<SizeReport> sizes;
  std::vector<SpaceResult> space;
  std::vector<RateResult> rates;

  bool has_wrong_rows() const;
};

}  // namespace bloomery::bench
