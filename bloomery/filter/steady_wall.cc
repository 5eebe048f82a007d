// SPDX-License-Identifier: Apache-2.0
#include "bloomery/filter/steady_wall.h"

#include <algorithm>

#include "bloomery/os/clock.h"

namespace bloomery {
namespace {

template <std::int64_t (*kClock)() noexcept>
std::uint64_t milliseconds_of() noexcept {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, kClock())) / 1'000'000;
}

}  // namespace

std::uint64_t steady_wall_ms() noexcept {
  static const SteadyWall wall(milliseconds_of<os::wall_clock>, milliseconds_of<os::running_clock>);
  return wall.now_ms();
}

}  // namespace bloomery
