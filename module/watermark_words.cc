// SPDX-License-Identifier: Apache-2.0
#include "module/watermark_words.h"

#include <charconv>

#include "bloomery/place/watermark_text.h"
#include "module/refusal.h"

namespace bloomery::module {

Identity parse_identity(std::string_view word) {
  const auto identity = read_identity(word);
  if (!identity || !identity->is_set()) {
    throw Refusal("ERR an identity is 32 hex digits, not all of them 0");
  }
  return *identity;
}

std::optional<std::uint64_t> parse_position(std::string_view word) noexcept {
  std::uint64_t number = 0;
  const char* const end = word.data() + word.size();
  const auto [read, error] = std::from_chars(word.data(), end, number);
  if (word.empty() || error != std::errc() || read != end) return std::nullopt;
  return number;
}

Watermark parse_watermark(std::string_view source, std::string_view position) {
  const auto number = parse_position(position);
  if (!number) throw Refusal("ERR a position is a whole number from 0 to 2^64 - 1");
  return {parse_identity(source), *number};
}

std::optional<Watermark> parse_watermark(std::string_view word) {
  if (word == "-") return std::nullopt;
  const std::size_t colon = word.find(':');
  if (colon == std::string_view::npos) {
    throw Refusal("ERR a watermark is SOURCE:POSITION, or - for none");
  }
  return parse_watermark(word.substr(0, colon), word.substr(colon + 1));
}

}  // namespace bloomery::module
