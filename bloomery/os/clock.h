// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace bloomery::os {

// Nanoseconds since 1970, as the system has it: somebody may set it at any time.
std::int64_t wall_clock() noexcept;

// Nanoseconds since some moment that stays as long as the machine runs, with the time that it
// sleeps. Nobody sets it.
std::int64_t running_clock() noexcept;

}  // namespace bloomery::os
