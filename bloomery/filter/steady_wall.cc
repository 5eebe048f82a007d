// SPDX-License-Identifier: Apache-2.0
#include "bloomery/filter/steady_wall.h"

#include <algorithm>
#include <ctime>

namespace bloomery {
namespace {

template <clockid_t kClock>
std::uint64_t milliseconds_of() noexcept {
  timespec time{};
  clock_gettime(kClock, &time);
  return static_cast<std::uint64_t>(std::max<std::int64_t>(0, time.tv_sec)) * 1000 +
         static_cast<std::uint64_t>(time.tv_nsec) / 1'000'000;
}

#if defined(__EMSCRIPTEN__)  // which has no other
constexpr clockid_t kRunning = CLOCK_MONOTONIC;
#else
constexpr clockid_t kRunning = CLOCK_BOOTTIME;
#endif

}  // namespace

std::uint64_t steady_wall_ms() noexcept {
  static const SteadyWall wall(milliseconds_of<CLOCK_REALTIME>, milliseconds_of<kRunning>);
  return wall.now_ms();
}

}  // namespace bloomery
