// SPDX-License-Identifier: Apache-2.0
#include "bloomery/follow/rebuild_schedule.h"

#include <algorithm>
#include <cstdint>
#include <stdexcept>

namespace bloomery {
namespace {

constexpr RebuildSchedule::Clock::duration kFirstPause = std::chrono::milliseconds(50);
constexpr std::uint64_t kFewestDeleted = 1000;

}  // namespace

RebuildSchedule::RebuildSchedule(double at, double at_deleted, Clock::duration longest_pause)
    : at_(at), at_deleted_(at_deleted), longest_pause_(longest_pause) {
  const auto is_share = [](double value) { return value > 0 && value <= 1; };
  if (!is_share(at) || !is_share(at_deleted)) {
    throw std::invalid_argument("when to rebuild is a share; allowed: above 0, up to 1");
  }
}

bool RebuildSchedule::is_due(const FollowerStatus& status, Clock::time_point now) const noexcept {
  return (is_wanted_ || is_too_full(status)) && now >= not_before_;
}

bool RebuildSchedule::is_too_full(const FollowerStatus& status) const noexcept {
  const auto keys = static_cast<double>(status.key_count);
  if (status.capacity > 0 && keys > at_ * static_cast<double>(status.capacity)) {
    if (!status.cannot_grow) return true;
  }
  return status.deleted > kFewestDeleted &&
         static_cast<double>(status.deleted) > at_deleted_ * keys;
}

void RebuildSchedule::failed(Clock::time_point began, Clock::time_point now) noexcept {
  pause_ = std::min(std::max({2 * pause_, now - began, kFirstPause}), longest_pause_);
  not_before_ = now + pause_;
  has_failed_ = true;
}

}  // namespace bloomery
