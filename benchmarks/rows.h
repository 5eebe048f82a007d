#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "benchmarks/subject.h"

namespace bloomery::bench {

struct Row {
  std::string name;
  double rate = 0;  // that it is asked to keep; 0 for exact answers
  std::function<SubjectPointer(std::uint64_t capacity)> make;
  // Some stop early: by memory, by time, or by a limit of their own.
  std::uint64_t max_keys = 0;
  std::string stops_because;
  Pattern keys = Pattern::random;
  bool slow = false;  // fewer keys a repetition
};

// All rows, in the order of the table.
std::vector<Row> all_rows();

}  // namespace bloomery::bench
