// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "benchmarks/timing.h"

namespace bloomery::bench {

// Single calls first, as most programs make them; `absent_dependent`: which key is asked about next
// depends on the answer.
enum class Operation {
  insert_one,
  absent_one,
  present_one,
  absent_dependent,
  insert_batch,
  absent_batch,
  present_batch
};
inline constexpr std::array<const char*, 7> kOperationNames{
    "insert_one",   "absent_one",   "present_one",  "absent_dependent",
    "insert_batch", "absent_batch", "present_batch"};
inline bool is_insert(Operation operation) {
  return operation == Operation::insert_one || operation == Operation::insert_batch;
}

enum class Verdict { kept, exceeds_rate, loses_keys, left_out };
inline constexpr std::array<const char*, 4> kVerdictNames{"kept", "exceeds_rate", "loses_keys",
                                                          "left_out"};

// RowResult has what one row of the table says at one size.
struct RowResult {
  std::string row;
  bool ours = false;
  std::string built_with;  // compiler and flags; empty: not by ours
  int threads = 1;         // that build; with more than one, inserts count by the wall clock
  double asked_rate = 0;
  double measured_rate = 0;
  std::uint64_t trials = 0;
  double bits_per_key = 0;
  double huge_page_share = 0;
  Verdict verdict = Verdict::kept;
  std::string note;  // why it was left out
  std::array<std::optional<Timing>, kOperationNames.size()> timings;

  std::optional<Timing>& timing(Operation operation) {
    return timings[static_cast<std::size_t>(operation)];
  }
  const std::optional<Timing>& timing(Operation operation) const {
    return timings[static_cast<std::size_t>(operation)];
  }
  bool is_wrong() const {
    return verdict == Verdict::exceeds_rate || verdict == Verdict::loses_keys;
  }

  void leave_out(std::string reason);
  // Takes what was counted: strangers asked and found, and members that were not found.
  void judge(std::uint64_t strangers, std::uint64_t positives, std::uint64_t lost);
  // "its rate is 1.3 %, asked for 1 %", for rows that are wrong.
  std::string fault() const;
};

// With so many false positives to be expected, five percent are five standard deviations.
inline constexpr double kEnoughPositives = 10'000;

// Returns whether the rate is more than five percent above the asked one; with fewer trials than
// are enough to tell, by more than four standard deviations of luck beyond that.
bool exceeds_rate(double positives, double trials, double asked_rate);

// "0.01 %" for 0.0001.
std::string percent(double share);

}  // namespace bloomery::bench
