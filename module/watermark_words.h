// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "bloomery/place/watermark.h"

// Identities and watermarks out of the words of commands (place/watermark_text.h).
namespace bloomery::module {

// Throw Refusal. Of two words, the identity of a source and a position in it.
Identity parse_identity(std::string_view word);
Watermark parse_watermark(std::string_view source, std::string_view position);
// Parses a position, 0 to 2^64 - 1; nothing where the word is no such number.
std::optional<std::uint64_t> parse_position(std::string_view word) noexcept;
// Parses one word, SOURCE:POSITION; or "-", for none. Throws Refusal.
std::optional<Watermark> parse_watermark(std::string_view word);

}  // namespace bloomery::module
