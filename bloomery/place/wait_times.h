// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace bloomery {

// How long things took, counted to an eighth of each. All calls may run together.
class WaitTimes {
 public:
  void add(std::chrono::nanoseconds time) noexcept;

  std::uint64_t count() const noexcept;
  // Returns the time that this share (0 to 1) of all took at most; zero where there were none.
  std::chrono::microseconds quantile(double share) const noexcept;

 private:
  static constexpr std::size_t kSteps = 8;  // between two powers of two

  static std::size_t step_of(std::uint64_t microseconds) noexcept;
  static std::uint64_t most_of(std::size_t step) noexcept;

  std::array<std::atomic<std::uint64_t>, kSteps * 40> counts_{};
};

}  // namespace bloomery
