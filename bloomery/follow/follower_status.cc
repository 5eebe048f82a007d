#include "bloomery/follow/follower_status.h"

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

}  // namespace bloomery
