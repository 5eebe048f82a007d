#include "module/watermark_words.h"

#include <charconv>
#include <cstdio>

#include "module/refusal.h"

namespace bloomery::module {
namespace {

constexpr std::size_t kIdentityDigits = 32;

// All of a word, or nothing.
std::optional<std::uint64_t> read_whole(std::string_view word, int base) {
  std::uint64_t value = 0;
  const char* const end = word.data() + word.size();
  const auto [read, error] = std::from_chars(word.data(), end, value, base);
  if (word.empty() || error != std::errc() || read != end) return std::nullopt;
  return value;
}

}  // namespace

std::string word_of(const Identity& identity) {
  char text[kIdentityDigits + 1];
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(identity.high),
                static_cast<unsigned long long>(identity.low));
  return text;
}

Identity parse_identity(std::string_view word) {
  const auto high = read_whole(word.substr(0, kIdentityDigits / 2), 16);
  const auto low =
      word.size() == kIdentityDigits ? read_whole(word.substr(kIdentityDigits / 2), 16) : high;
  const bool is_one = word.size() == kIdentityDigits && high && low && (*high | *low) != 0;
  if (!is_one) throw Refusal("ERR an identity is 32 hex digits, not all of them 0");
  return {*high, *low};
}

Watermark parse_watermark(std::string_view source, std::string_view position) {
  const auto number = read_whole(position, 10);
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
