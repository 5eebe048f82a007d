#pragma once

#include <string>
#include <vector>

#include "benchmarks/machine.h"
#include "benchmarks/measure_row.h"
#include "benchmarks/memory_limit.h"
#include "benchmarks/rates.h"
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
  std::vector<SizeReport> sizes;
  std::vector<SpaceResult> space;
  std::vector<RateResult> rates;

  bool has_wrong_rows() const;
};

// Throws std::runtime_error when the file cannot be written.
void write_json(const Report& report, const Settings& settings, const std::string& file);

}  // namespace bloomery::bench
