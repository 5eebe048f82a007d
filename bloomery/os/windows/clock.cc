// SPDX-License-Identifier: Apache-2.0
#include "bloomery/os/clock.h"

#include "bloomery/os/windows/system_calls.h"

namespace bloomery::os {
namespace {

constexpr std::int64_t kBefore1970 = 116'444'736'000'000'000;  // since 1601, in units of 100 ns

}  // namespace

std::int64_t wall_clock() noexcept {
  FILETIME time{};
  GetSystemTimePreciseAsFileTime(&time);
  const auto since_1601 =
      static_cast<std::int64_t>(whole_of(time.dwHighDateTime, time.dwLowDateTime));
  return (since_1601 - kBefore1970) * 100;
}

std::int64_t running_clock() noexcept {
  return static_cast<std::int64_t>(GetTickCount64()) * 1'000'000;
}

}  // namespace bloomery::os
