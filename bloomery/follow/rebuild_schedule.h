// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <utility>

#include "bloomery/follow/follower_status.h"

namespace bloomery {

// Decides when a follower builds its filter again though it could go on: when somebody asks for it,
// when the filter is too full, or when many of its rows are gone. A rebuild that fails is tried
// again soon at first, and never for more than half of the time.
//
// ask() from any thread, the rest on one.
class RebuildSchedule {
 public:
  using Clock = std::chrono::steady_clock;

  // Shares of the filter's capacity, and of its keys. Throws std::invalid_argument for what is no
  // share.
  RebuildSchedule(double at, double at_deleted, Clock::duration longest_pause);

  void ask() noexcept { is_wanted_ = true; }
  void withdraw() noexcept { is_wanted_ = false; }

  bool is_due(const FollowerStatus& status, Clock::time_point now) const noexcept;

  // Runs build(), which is what was asked for until now, unless it throws.
  void run(auto build) {
    const bool was_asked_for = is_wanted_.exchange(false);
    try {
      build();
    } catch (...) {
      if (was_asked_for) ask();
      throw;
    }
  }

  void succeeded() noexcept { pause_ = {}; }
  void failed(Clock::time_point began, Clock::time_point now) noexcept;
  // Returns whether a rebuild has failed since this was asked last.
  bool take_failure() noexcept { return std::exchange(has_failed_, false); }

 private:
  bool is_too_full(const FollowerStatus& status) const noexcept;

  const double at_;
  const double at_deleted_;
  const Clock::duration longest_pause_;
  std::atomic<bool> is_wanted_ = false;
  Clock::time_point not_before_{};
  Clock::duration pause_{};
  bool has_failed_ = false;
};

}  // namespace bloomery
