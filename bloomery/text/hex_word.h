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

// Nothing where the text is not sixteen such digits, of either case.
std::optional<std::uint64_t> read_hex_word(std::string_view text) noexcept;

}  // namespace bloomery
