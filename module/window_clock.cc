// SPDX-License-Identifier: Apache-2.0
#include "module/window_clock.h"

#include "bloomery/filter/steady_wall.h"

namespace bloomery::module {
namespace {

std::uint64_t moment = 0;  // 0: time goes on; a server runs its commands in one thread

}  // namespace

std::uint64_t window_now() noexcept {
  return moment != 0 ? moment : steady_wall_ms();
}

AtMoment::AtMoment(std::uint64_t milliseconds) noexcept {
  moment = milliseconds;
}

AtMoment::~AtMoment() {
  moment = 0;
}

}  // namespace bloomery::module
