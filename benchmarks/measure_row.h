#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "benchmarks/rows.h"
#include "benchmarks/settings.h"
#include "benchmarks/timing.h"

namespace bloomery::bench {

enum class Operation {
  insert_one,
  insert_batch,
  absent_one,
  absent_batch,
  present_one,
  present_batch
};
inline constexpr std::array<const char*, 6> kOperationNames{
    "insert_one", "insert_batch", "absent_one", "absent_batch", "present_one", "present_batch"};

enum class Verdict { kept, exceeds_rate, loses_keys, left_out };

struct RowResult {
  std::string row;
  std::string size;
  std::uint64_t keys = 0;
  double asked_rate = 0;
  double measured_rate = 0;
  std::uint64_t trials = 0;
  double bits_per_key = 0;
  double huge_page_share = 0;
  Verdict verdict = Verdict::kept;
  std::string note;  // why it was left out
  std::array<std::optional<Timing>, kOperationNames.size()> timings;

  const std::optional<Timing>& timing(Operation operation) const {
    return timings[static_cast<std::size_t>(operation)];
  }
  bool is_wrong() const {
    return verdict == Verdict::exceeds_rate || verdict == Verdict::loses_keys;
  }
};

// Fills the row's filter to its capacity and measures every operation that it has.
RowResult measure_row(const Row& row, const SizeClass& size, const Settings& settings);

// Whether so many false positives say that the rate is more than five percent above the asked one:
// beyond four standard deviations of luck.
bool exceeds_rate(double positives, double trials, double asked_rate);

}  // namespace bloomery::bench
