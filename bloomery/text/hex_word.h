// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bloomery {

inline constexpr std::size_t kHexWordDigits = 16;

// 64 bits as sixteen hexadecimal digits, lower case.
std::string hex_word(std::uint64_t number);

// Reads sixteen hex digits of either case; nothing if the text is anything else.
std::optional<std::uint64_t> read_hex_word(std::string_view text) noexcept;

}  // namespace bloomery
