// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace bloomery {

// Counts as people write them. Exact: no number passes through floating point.
//   250000  100_000  10M  1.5G  1e6  2.5e3     K, M, G, T (either case) are 10^3, 10^6, 10^9, 10^12
//   900*1M  2^20-1  (3+4) * 1e6                + - * / ^ and brackets, of whole numbers
// Throws std::invalid_argument, which names the place, on a sign, a value on the way that is no
// whole number from 0 to 2^64-1, or anything else.
std::uint64_t parse_count(std::string_view text);

// Times as people write them: 500ms, 90s, 15m, 24h, 7d, 2w. Throws std::invalid_argument for
// anything else, and for more than 2^64-1 milliseconds.
std::uint64_t parse_duration_ms(std::string_view text);

// Writes a duration in the largest unit that is whole: 90s, 24h as 1d, 1500ms.
std::string format_duration_ms(std::uint64_t duration_ms);

// Writes a count with at most one decimal, rounded: 999, 1K, 3.2M, 10M, 123M, 1.5G.
std::string format_count(std::uint64_t count);

}  // namespace bloomery
