// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <stdexcept>
#include <stop_token>

namespace bloomery {

struct Fence;

// More is the same: nobody waits so long, and clocks can still add it.
inline constexpr std::chrono::milliseconds kForever = std::chrono::hours(24 * 365);

// The deadline, stop, fence and user data of a call that may have to wait. The default has none of
// them: the call waits as long as it takes. Passed by reference and not kept after the call.
struct CallContext {
  using Clock = std::chrono::steady_clock;
  static constexpr Clock::time_point kNever = Clock::time_point::max();

  Clock::time_point deadline = kNever;
  std::stop_token stop{};
  const Fence* fence = nullptr;  // say "absent" only behind it (watermark.h)
  void* user = nullptr;          // the caller's own: a span, a tenant

  static CallContext within(std::chrono::milliseconds time) {
    return {.deadline = time < kForever ? Clock::now() + time : kNever};
  }

  // Reads the clock only where there is a deadline.
  bool is_over() const noexcept {
    return stop.stop_requested() || (deadline != kNever && Clock::now() >= deadline);
  }
};

// The default, made once: what takes some nanoseconds need not make another.
inline const CallContext kNoContext{};

// The caller's deadline passed, or his stop was requested, before there was an answer.
struct CallAborted : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace bloomery
