// SPDX-License-Identifier: Apache-2.0
#include "bloomery/text/hex_word.h"

#include <array>
#include <charconv>

namespace bloomery {

std::string hex_word(std::uint64_t number) {
  std::array<char, kHexWordDigits> digits{};
  const char* const end = std::to_chars(digits.begin(), digits.end(), number, 16).ptr;
  const std::string text(digits.data(), static_cast<std::size_t>(end - digits.data()));
  return std::string(kHexWordDigits - text.size(), '0') + text;
}

std::optional<std::uint64_t> read_hex_word(std::string_view text) noexcept {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  if (text.size() != kHexWordDigits) return std::nullopt;
  const auto [read, error] = std::from_chars(text.data(), end, number, 16);
  if (error != std::errc() || read != end) return std::nullopt;
  return number;
}

}  // namespace bloomery
