// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

// The moments that the guard writes, by the clock of the machine, which is the server's too.
namespace bloomery::module {

std::int64_t guard_now_ms() noexcept;

// 16 digits, microseconds since 1970, of another moment at each call.
std::string next_lease_moment();

inline constexpr std::size_t kGuardMomentSize = 13;

// kGuardMomentSize digits. What is written so is from 0 to 10^13 - 1.
std::string moment_digits(std::int64_t milliseconds);

}  // namespace bloomery::module
