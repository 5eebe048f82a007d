// SPDX-License-Identifier: Apache-2.0
#include "bloomery/os/clock.h"

#include <time.h>

namespace bloomery::os {
namespace {

std::int64_t nanoseconds_of(clockid_t clock) noexcept {
  timespec time{};
  clock_gettime(clock, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

std::int64_t wall_clock() noexcept {
  return nanoseconds_of(CLOCK_REALTIME);
}

std::int64_t running_clock() noexcept {
#if defined(__EMSCRIPTEN__)  // which has no other
  return nanoseconds_of(CLOCK_MONOTONIC);
#else
  return nanoseconds_of(CLOCK_BOOTTIME);
#endif
}

}  // namespace bloomery::os
