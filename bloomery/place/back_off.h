// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <random>
#include <string>

namespace bloomery {

// BackOff decides when a server that could not be reached may be tried again: after 10 ms at first,
// twice as long after each failure, half a second at most. Each time is drawn between half of that
// and all, so that clients do not come together. Until then all callers get the reason at once;
// then one tries for all. Many threads may use it.
class BackOff {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kShortest{10};
  static constexpr std::chrono::milliseconds kLongest{500};

  // Null where one may try; else why not.
  std::optional<std::string> refusal(Clock::time_point now);
  void failed(Clock::time_point now, std::string why);
  void succeeded() noexcept;

 private:
  std::chrono::milliseconds pause();

  std::mutex mutex_;
  std::uint32_t failures_ = 0;
  Clock::time_point next_{};
  std::string why_{};
  std::minstd_rand random_{std::random_device()()};
};

}  // namespace bloomery
