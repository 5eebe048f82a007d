// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ctime>

#include <algorithm>
#include <vector>

namespace bloomery::bench {

// A timing is the cost of one key, or of one line. cpu_ns is the thread's own time on the
// processor, because machines are shared; wall_ns is the wall clock's, which shows how much they
// were.
struct Timing {
  double cpu_ns = 0;
  double wall_ns = 0;

  bool disturbed() const noexcept { return wall_ns > 1.1 * cpu_ns; }
};

inline double clock_seconds(clockid_t clock) noexcept {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

class Stopwatch {
 public:
  Timing per(double count) const noexcept {
    return {1e9 * (clock_seconds(CLOCK_THREAD_CPUTIME_ID) - cpu_) / count,
            1e9 * (clock_seconds(CLOCK_MONOTONIC) - wall_) / count};
  }

 private:
  double wall_ = clock_seconds(CLOCK_MONOTONIC);
  double cpu_ = clock_seconds(CLOCK_THREAD_CPUTIME_ID);
};

// The repetition in the middle by processor time, with its own wall time.
inline Timing median(std::vector<Timing> repetitions) {
  const auto middle =
      repetitions.begin() + static_cast<std::ptrdiff_t>((repetitions.size() - 1) / 2);
  std::ranges::nth_element(repetitions, middle, {}, &Timing::cpu_ns);
  return *middle;
}

}  // namespace bloomery::bench
