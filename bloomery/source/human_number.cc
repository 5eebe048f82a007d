#include "bloomery/source/human_number.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "bloomery/source/printable.h"

namespace bloomery {
namespace {

[[noreturn]] void refuse_number(std::string_view text, const std::string& why) {
  throw std::invalid_argument(printable(text) + " " + why +
                              "; write a whole number such as 250000, 100_000, 10M, 1.5G or 1e6");
}

bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

// Reads digits from the front of `rest`, with single underscores between them.
std::string take_digits(std::string_view& rest) {
  std::string digits;
  while (!rest.empty()) {
    const bool joint = rest[0] == '_' && !digits.empty() && rest.size() > 1 && is_digit(rest[1]);
    if (joint) rest.remove_prefix(1);
    if (!is_digit(rest[0])) break;
    digits += rest[0];
    rest.remove_prefix(1);
  }
  return digits;
}

// The power of ten that an exponent or a unit stands for. Beyond a thousand digits it is all the
// same: out of range.
int take_power(std::string_view text, std::string_view rest) {
  if (rest.empty()) return 0;
  const char letter = static_cast<char>(rest[0] | 0x20);
  rest.remove_prefix(1);
  if (letter == 'e') {
    const bool negative = !rest.empty() && rest[0] == '-';
    if (!rest.empty() && (rest[0] == '-' || rest[0] == '+')) rest.remove_prefix(1);
    if (rest.empty() || !std::all_of(rest.begin(), rest.end(), is_digit)) {
      refuse_number(text, "is not a count");
    }
    int power = 0;
    for (const char c : rest) power = std::min(power * 10 + (c - '0'), 100'000'000);
    return negative ? -power : power;
  }
  constexpr std::string_view kUnits = "kmgt";
  const std::size_t unit = kUnits.find(letter);
  if (unit == std::string_view::npos || !rest.empty()) refuse_number(text, "is not a count");
  return 3 * (static_cast<int>(unit) + 1);
}

struct TimeUnit {
  std::string_view name;
  std::uint64_t ms;
};

// "ms" before "m" and "s", with which it ends.
constexpr std::array<TimeUnit, 6> kTimeUnits{{{"ms", 1},
                                              {"s", 1'000},
                                              {"m", 60'000},
                                              {"h", 3'600'000},
                                              {"d", 86'400'000},
                                              {"w", 604'800'000}}};

[[noreturn]] void refuse_duration(std::string_view text, const std::string& why) {
  throw std::invalid_argument(printable(text) + " " + why +
                              "; write a whole number and a unit: 500ms, 90s, 15m, 24h, 7d or 2w");
}

}  // namespace

std::uint64_t parse_count(std::string_view text) {
  if (!text.empty() && text[0] == '-') refuse_number(text, "is negative");
  std::string_view rest = text;
  std::string digits = take_digits(rest);
  if (digits.empty()) refuse_number(text, "is not a count");
  std::string fraction;
  if (!rest.empty() && rest[0] == '.') {
    rest.remove_prefix(1);
    fraction = take_digits(rest);
    if (fraction.empty()) refuse_number(text, "is not a count");
  }
  std::int64_t power = take_power(text, rest);

  // digits.fraction * 10^power = (digits fraction) * 10^(power - fraction digits)
  power -= static_cast<std::int64_t>(fraction.size());
  digits += fraction;
  digits.erase(0, digits.find_first_not_of('0'));
  if (digits.empty()) return 0;
  while (power < 0 && digits.back() == '0') {
    digits.pop_back();
    ++power;
  }
  if (power < 0) refuse_number(text, "is not whole");

  std::uint64_t count = 0;
  bool overflow = power > 20;
  for (std::size_t i = 0; !overflow && i < digits.size() + static_cast<std::size_t>(power); ++i) {
    const auto value = static_cast<std::uint64_t>(i < digits.size() ? digits[i] - '0' : 0);
    overflow =
        __builtin_mul_overflow(count, 10U, &count) || __builtin_add_overflow(count, value, &count);
  }
  if (overflow) refuse_number(text, "is more than 18446744073709551615, the most there can be");
  return count;
}

std::uint64_t parse_duration_ms(std::string_view text) {
  const auto unit = std::ranges::find_if(
      kTimeUnits, [&](const TimeUnit& each) { return text.ends_with(each.name); });
  if (unit == kTimeUnits.end()) refuse_duration(text, "is not a duration");
  const std::string_view number = text.substr(0, text.size() - unit->name.size());
  if (number.empty() || !std::all_of(number.begin(), number.end(), is_digit)) {
    refuse_duration(text, "is not a duration");
  }
  std::uint64_t duration_ms = 0;
  bool overflow = false;
  for (const char digit : number) {
    const auto value = static_cast<std::uint64_t>(digit - '0');
    overflow |= __builtin_mul_overflow(duration_ms, 10U, &duration_ms);
    overflow |= __builtin_add_overflow(duration_ms, value, &duration_ms);
  }
  overflow |= __builtin_mul_overflow(duration_ms, unit->ms, &duration_ms);
  if (overflow) refuse_duration(text, "is more than 18446744073709551615 milliseconds");
  return duration_ms;
}

std::string format_duration_ms(std::uint64_t duration_ms) {
  TimeUnit largest = kTimeUnits.front();
  for (const TimeUnit& unit : kTimeUnits) {
    if (duration_ms != 0 && duration_ms % unit.ms == 0) largest = unit;
  }
  return std::to_string(duration_ms / largest.ms) + std::string(largest.name);
}

std::string format_count(std::uint64_t count) {
  if (count < 1000) return std::to_string(count);
  constexpr std::array<char, 4> kUnits{'K', 'M', 'G', 'T'};
  std::uint64_t unit = 1000;
  std::size_t name = 0;
  // Rounding may carry into the next unit: 999,960 is 1M, not 1000K.
  while (name + 1 < kUnits.size() && count >= unit * 1000 - unit / 2) {
    unit *= 1000;
    ++name;
  }
  const std::uint64_t tenth = unit / 10;
  std::uint64_t tenths = count / tenth + (count % tenth >= tenth / 2 ? 1 : 0);
  if (tenths >= 1000) tenths = (count / unit + (count % unit >= unit / 2 ? 1 : 0)) * 10;
  std::string text = std::to_string(tenths / 10);
  if (tenths % 10 != 0) text += "." + std::to_string(tenths % 10);
  return text + kUnits[name];
}

}  // namespace bloomery
