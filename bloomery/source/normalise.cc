// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/normalise.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <stdexcept>

#include "bloomery/text/ascii.h"
#include "bloomery/text/canonical_url.h"
#include "bloomery/text/printable.h"

namespace bloomery {
namespace {

constexpr std::size_t kMostDigits = 20;  // -9223372036854775808, 18446744073709551615

// SQLite prints a REAL with 15 digits, so beyond them it is no longer the number that is stored.
constexpr double kFirstInexact = 1e15;

bool is_blank(char c) noexcept {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

bool is_decimal(char c) noexcept {
  return c >= '0' && c <= '9';
}

std::string_view trimmed(std::string_view text) noexcept {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

[[noreturn]] void refuse(std::string_view text) {
  throw std::invalid_argument(
      printable(text) +
      " is no integer of 64 bits; with --normalise integer a key is decimal digits, with a sign, "
      "zeros before and a fraction of zeros as it likes");
}

// Digits without zeros before them; `negative` is false for 0.
std::string_view write_integer(bool negative, std::string_view digits, std::string& room) {
  room.assign(negative ? "-" : "");
  room += digits;
  return room;
}

// Writes a number as SQLite prints large REALs: 1.0e+14.
std::string_view of_exponent(std::string_view text, std::string& room) {
  double value = 0;
  const std::string_view number = text.starts_with('+') ? text.substr(1) : text;
  const char* const end = number.data() + number.size();
  const auto [stop, error] = std::from_chars(number.data(), end, value);
  if (error != std::errc() || stop != end || !std::isfinite(value)) refuse(text);
  if (std::trunc(value) != value || std::abs(value) >= kFirstInexact) refuse(text);
  room = std::to_string(static_cast<std::int64_t>(value));
  return room;
}

std::string_view integer_of(std::string_view text, std::string& room) {
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  const auto dot =
      static_cast<std::size_t>(std::ranges::find_if_not(rest, is_decimal) - rest.begin());
  std::string_view digits = rest.substr(0, dot);
  std::string_view fraction = rest.substr(dot);
  if (digits.empty()) refuse(text);
  if (!fraction.empty()) {
    if (fraction.find_first_of("eE") != std::string_view::npos) return of_exponent(text, room);
    if (fraction.front() != '.') refuse(text);
    fraction.remove_prefix(1);
    if (!std::ranges::all_of(fraction, [](char c) { return c == '0'; })) refuse(text);
  }
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size() - 1));
  if (digits == "0") return write_integer(false, digits, room);

  std::uint64_t value = 0;
  const char* const end = digits.data() + digits.size();
  if (std::from_chars(digits.data(), end, value).ec != std::errc()) refuse(text);
  if (negative && value > std::uint64_t{1} << 63) refuse(text);
  return write_integer(negative, digits, room);
}

std::string_view lowered(std::string_view text, std::string& room) {
  room.assign(text);
  std::ranges::transform(room, room.begin(), [](char c) { return ascii_lower(c); });
  return room;
}

}  // namespace

std::string_view normalised(Normalise normalise, std::string_view text, std::string& room) {
  if (has(normalise, Normalise::trim | Normalise::integer)) text = trimmed(text);
  if (has(normalise, Normalise::integer)) return integer_of(text, room);
  if (has(normalise, Normalise::lower)) return lowered(text, room);
  if (has(normalise, Normalise::url)) return canonical_url(text, room);
  return text;
}

std::size_t normalised_byte_limit(Normalise normalise, std::size_t byte_count) noexcept {
  if (has(normalise, Normalise::integer)) return kMostDigits;
  return byte_count + (has(normalise, Normalise::url) ? 1 : 0);
}

}  // namespace bloomery
