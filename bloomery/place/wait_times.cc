// SPDX-License-Identifier: Apache-2.0
#include "bloomery/place/wait_times.h"

#include <algorithm>
#include <bit>

namespace bloomery {

void WaitTimes::add(std::chrono::nanoseconds time) noexcept {
  const auto microseconds = std::chrono::ceil<std::chrono::microseconds>(time).count();
  const auto value = static_cast<std::uint64_t>(std::max<std::int64_t>(0, microseconds));
  counts_[std::min(step_of(value), counts_.size() - 1)].fetch_add(1, std::memory_order_relaxed);
}

std::uint64_t WaitTimes::count() const noexcept {
  std::uint64_t sum = 0;
  for (const auto& each : counts_) sum += each.load(std::memory_order_relaxed);
  return sum;
}

std::chrono::microseconds WaitTimes::quantile(double share) const noexcept {
  const double wanted = share * static_cast<double>(count());
  std::uint64_t sum = 0;
  std::size_t step = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    const std::uint64_t here = counts_[i].load(std::memory_order_relaxed);
    if (here == 0) continue;
    sum += here;
    step = i;
    if (static_cast<double>(sum) >= wanted) break;
  }
  return std::chrono::microseconds(sum == 0 ? 0 : most_of(step));
}

// Below eight each number is a step; from there on the three digits behind the first are.
std::size_t WaitTimes::step_of(std::uint64_t value) noexcept {
  if (value < kSteps) return value;
  const auto digits = static_cast<std::size_t>(std::bit_width(value));
  return (digits - 3) * kSteps + ((value >> (digits - 4)) & (kSteps - 1));
}

std::uint64_t WaitTimes::most_of(std::size_t step) noexcept {
  if (step < kSteps) return step;
  const std::size_t shift = step / kSteps - 1;
  return ((kSteps + step % kSteps + 1) << shift) - 1;
}

}  // namespace bloomery
