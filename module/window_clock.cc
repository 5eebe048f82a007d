#include "module/window_clock.h"

#include <chrono>

namespace bloomery::module {
namespace {

std::uint64_t moment = 0;  // 0: time goes on; a server runs its commands in one thread

}  // namespace

std::uint64_t window_now() noexcept {
  if (moment != 0) return moment;
  const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(since_1970).count());
}

AtMoment::AtMoment(std::uint64_t milliseconds) noexcept {
  moment = milliseconds;
}

AtMoment::~AtMoment() {
  moment = 0;
}

}  // namespace bloomery::module
