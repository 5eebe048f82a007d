// SPDX-License-Identifier: Apache-2.0
#include "bloomery/text/human_number.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "bloomery/text/ascii.h"
#include "bloomery/text/printable.h"

namespace bloomery {
namespace {

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

std::uint64_t parse_duration_ms(std::string_view text) {
  const auto unit = std::ranges::find_if(
      kTimeUnits, [&](const TimeUnit& each) { return text.ends_with(each.name); });
  if (unit == kTimeUnits.end()) refuse_duration(text, "is not a duration");
  const std::string_view number = text.substr(0, text.size() - unit->name.size());
  if (number.empty() || !std::all_of(number.begin(), number.end(), is_ascii_digit)) {
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
