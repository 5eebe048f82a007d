// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "benchmarks/compiled_with.h"
#include "benchmarks/row_result.h"
#include "benchmarks/settings.h"
#include "benchmarks/subject.h"

namespace bloomery::bench {

inline constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

struct Row {
  std::string name;
  double rate = 0;  // that it is asked to keep; 0 for exact answers
  std::function<SubjectPointer(std::uint64_t capacity)> make;
  // In place of `make`: measures by itself, in another process, and fills the result.
  std::function<void(const SizeClass&, const Settings&, RowResult&)> measure_elsewhere;
  // Some stop early: by memory, by time, or by a limit of their own.
  std::uint64_t max_keys = kNoLimit;
  std::string stops_because;
  std::string missing;  // why it cannot run on this machine at all; empty: it can
  Pattern keys = Pattern::random;
  bool ours = false;
  int threads = 1;  // that build
  std::string built_with = compiled_with("");
  bool slow = false;  // fewer keys a repetition
};

}  // namespace bloomery::bench
