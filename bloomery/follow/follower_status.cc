// SPDX-License-Identifier: Apache-2.0
#include "bloomery/follow/follower_status.h"

#include "bloomery/filter/rates.h"

namespace bloomery {

std::string_view state_name(FollowerStatus::State state) noexcept {
  switch (state) {
    case FollowerStatus::State::starting:
      return "starting";
    case FollowerStatus::State::scanning:
      return "scanning";
    case FollowerStatus::State::following:
      return "following";
    case FollowerStatus::State::failing:
      return "failing";
    case FollowerStatus::State::ended:
      break;
  }
  return "ended";
}

bool is_full_for_good(const FollowerStatus& status) noexcept {
  return status.cannot_grow && status.key_count > status.capacity;
}

std::optional<double> rate_now(const FollowerStatus& status) noexcept {
  if (status.geometry.bit_count == 0 || status.key_count == 0) return std::nullopt;
  return predicted_rate(status.geometry, static_cast<double>(status.key_count));
}

}  // namespace bloomery
