// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace bloomery {

// The eight bytes of a decimal number from -2^63 to 2^64 - 1; nothing for another text.
std::optional<std::uint64_t> integer_spelt(std::string_view text) noexcept;

// Returns whether the bytes may be a text: UTF-8 without control characters. The eight bytes of an
// integer below 2^56 are none.
bool may_be_text(std::string_view bytes) noexcept;

}  // namespace bloomery
