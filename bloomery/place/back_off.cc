// SPDX-License-Identifier: Apache-2.0
#include "bloomery/place/back_off.h"

#include <algorithm>
#include <utility>

namespace bloomery {

std::optional<std::string> BackOff::refusal(Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  if (failures_ == 0) return std::nullopt;
  if (now < next_) return why_;
  next_ = now + pause();
  return std::nullopt;
}

void BackOff::failed(Clock::time_point now, std::string why) {
  const std::lock_guard lock(mutex_);
  failures_ = std::min(failures_ + 1, 16U);
  next_ = now + pause();
  why_ = std::move(why);
}

void BackOff::succeeded() noexcept {
  const std::lock_guard lock(mutex_);
  failures_ = 0;
}

std::chrono::milliseconds BackOff::pause() {
  const auto longest =
      std::min<std::int64_t>(kLongest.count(), kShortest.count() << (failures_ - 1));
  return std::chrono::milliseconds(
      std::uniform_int_distribution<std::int64_t>(longest / 2, longest)(random_));
}

}  // namespace bloomery
