// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <functional>

namespace bloomery {

// Time that passes when a test says so.
class FakeClock {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  void advance(std::chrono::milliseconds by) { now_ = now_.load() + by; }
  std::function<TimePoint()> function() {
    return [this] { return now_.load(); };
  }

 private:
  std::atomic<TimePoint> now_{TimePoint(std::chrono::hours(1))};
};

}  // namespace bloomery
