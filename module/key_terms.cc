// SPDX-License-Identifier: Apache-2.0
#include "module/key_terms.h"

#include <charconv>
#include <string>
#include <system_error>

#include "module/refusal.h"

namespace bloomery::module {

std::uint64_t parse_whole(std::string_view option, std::string_view text, std::uint64_t low,
                          std::uint64_t high) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (text.empty() || read.ec != std::errc() || read.ptr != end || value < low || value > high) {
    throw Refusal("ERR " + std::string(option) + " must be a whole number from " +
                  std::to_string(low) + " to " + std::to_string(high));
  }
  return value;
}

std::uint64_t parse_expiry(std::string_view seconds) {
  return kSecondMs * parse_whole("EX", seconds, 1, kMostSeconds);
}

}  // namespace bloomery::module
