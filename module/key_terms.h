// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace bloomery::module {

inline constexpr std::uint64_t kSecondMs = 1000;
inline constexpr std::uint64_t kMostSeconds = 100ULL * 365 * 24 * 3600;

// KeyTerms: under which terms a command makes a filter: not what it is, but whether and for how
// long.
struct KeyTerms {
  bool only_if_new = false;            // NX: nothing happens where there is one
  std::uint64_t expires_after_ms = 0;  // EX; 0: never
};

// Throws Refusal, naming the option, unless the text is a whole number within the limits.
std::uint64_t parse_whole(std::string_view option, std::string_view text, std::uint64_t low,
                          std::uint64_t high);
// The seconds behind an EX, in milliseconds. Throws Refusal.
std::uint64_t parse_expiry(std::string_view seconds);

}  // namespace bloomery::module
