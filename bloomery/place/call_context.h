// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>

#include "bloomery/place/watermark.h"

namespace bloomery {

// The longest time, to which longer ones are cut: nobody waits so long, and clocks can still add
// it.
inline constexpr std::chrono::milliseconds kForever = std::chrono::hours(24 * 365);

// The deadline, stop, fence and user data of a call that may have to wait. The default has none of
// them: the call waits as long as it takes. Passed by reference and not kept after the call.
struct CallContext {
  using Clock = std::chrono::steady_clock;
  static constexpr Clock::time_point kNever = Clock::time_point::max();

  Clock::time_point deadline = kNever;
  std::stop_token stop{};
  const Fence* fence = nullptr;  // say "absent" only behind it
  void* user = nullptr;          // the caller's own: a span, a tenant

  static CallContext within(std::chrono::milliseconds time) {
    return {.deadline = time < kForever ? Clock::now() + time : kNever};
  }

  // Reads the clock only where there is a deadline.
  bool is_over() const noexcept {
    return stop.stop_requested() || (deadline != kNever && Clock::now() >= deadline);
  }

  // Returns whether it has a fence that names no source.
  bool has_nameless_fence() const noexcept {
    return fence != nullptr && !fence->at_least.source.is_set();
  }
};

inline constexpr std::string_view kNamelessFence =
    "a fence names no source, so nobody knows what has come to it; allowed: none, or one whose "
    "source is a database's, as FenceSource::ask() and GET /fence give it";

// Throws std::invalid_argument: "WHO: WHY".
[[noreturn]] inline void refuse_nameless_fence(const std::string& who) {
  throw std::invalid_argument(who + ": " + std::string(kNamelessFence));
}

// The default, made once: what takes some nanoseconds need not make another.
inline const CallContext kNoContext{};

// The caller's deadline passed, or his stop was requested, before there was an answer.
struct CallAborted : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace bloomery
