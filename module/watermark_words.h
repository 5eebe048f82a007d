#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "bloomery/filter/watermark.h"

// Identities and watermarks as words of commands: 32 hex digits, and a position behind them.
namespace bloomery::module {

std::string word_of(const Identity& identity);

// Throw Refusal. Of two words, the identity of a source and a position in it.
Identity parse_identity(std::string_view word);
Watermark parse_watermark(std::string_view source, std::string_view position);
// Of one word, SOURCE:POSITION; or "-", for none.
std::optional<Watermark> parse_watermark(std::string_view word);

}  // namespace bloomery::module
