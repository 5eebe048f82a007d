// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>

namespace bloomery {

// Leaves alone what failed several times in a row: it would cost every request a time-out. After a
// pause one call tries again, and its success ends it. All calls may run together; while all is
// well they cost a load or two.
class Breaker {
 public:
  using Clock = std::chrono::steady_clock;

  Breaker(std::size_t failures_in_a_row, std::chrono::milliseconds pause,
          std::function<Clock::time_point()> now = Clock::now)
      : limit_(failures_in_a_row), pause_(pause), now_(std::move(now)) {}

  // Returns whether nothing failed since the last success: the call may be made, and a success need
  // not be told.
  bool is_calm() const noexcept {
    return failures_.load(std::memory_order_relaxed) == 0 &&
           closed_until_.load(std::memory_order_acquire) == 0;
  }

  // Returns whether to call. After true, tell what became of the call.
  bool allows() noexcept {
    const Clock::rep until = closed_until_.load(std::memory_order_acquire);
    return until == 0 || may_try(until);
  }
  void succeeded() noexcept {
    if (failures_.load(std::memory_order_relaxed) != 0) reset();
  }
  void failed() noexcept;

 private:
  bool may_try(Clock::rep until) noexcept;
  void reset() noexcept;

  const std::size_t limit_;
  const std::chrono::milliseconds pause_;
  const std::function<Clock::time_point()> now_;
  std::atomic<std::size_t> failures_{0};
  std::atomic<Clock::rep> closed_until_{0};  // 0: open for calls
};

}  // namespace bloomery
