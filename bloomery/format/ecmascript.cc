// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/ecmascript.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>

namespace bloomery::ecmascript {
namespace {

constexpr double kExactBelow = 9007199254740992;  // 2^53
constexpr double kExponentFrom = 1e21;            // from here on String(value) has an exponent
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// WhiteSpace and LineTerminator, which Number() takes off the ends of a text.
bool is_space(std::uint16_t unit) noexcept {
  return (unit >= 0x09 && unit <= 0x0d) || unit == 0x20 || unit == 0xa0 || unit == 0x1680 ||
         (unit >= 0x2000 && unit <= 0x200a) || unit == 0x2028 || unit == 0x2029 || unit == 0x202f ||
         unit == 0x205f || unit == 0x3000 || unit == 0xfeff;
}

// String(value), whose shortest digits are followed by zeros below 10^21. Returns its end.
char* write(double value, char* text, char* end) noexcept {
  char* at = std::to_chars(text, end, value, std::chars_format::scientific).ptr;
  if (value >= kExponentFrom) return at;
  char* const e = std::find(text, at, 'e');
  int exponent = 0;
  std::from_chars(e + 2, at, exponent);  // behind e+
  at = e;
  if (at > text + 1) at = std::copy(text + 2, at, text + 1);  // without the point
  const auto digits = static_cast<int>(at - text);
  return std::fill_n(at, std::max(0, exponent + 1 - digits), '0');
}

double append_digit(double value, char digit) noexcept {
  const double sum = value * 10 + (digit - '0');
  if (sum < kExactBelow) return sum;
  char text[48];
  char* at = write(value, std::begin(text), std::end(text) - 1);
  *at++ = digit;
  double number = 0;
  const auto [stop, error] = std::from_chars(std::begin(text), at, number);
  return error == std::errc::result_out_of_range ? std::numeric_limits<double>::infinity() : number;
}

}  // namespace

double append(double value, std::uint16_t unit) noexcept {
  if (std::isnan(value) || is_space(unit)) return value;
  const bool digits_follow = std::isfinite(value);
  if (digits_follow && unit >= '0' && unit <= '9') {
    return append_digit(value, static_cast<char>(unit));
  }
  // "12." is 12; "1e+21." is none.
  return unit == '.' && value < kExponentFrom ? value : kNaN;
}

std::uint32_t to_int32(double value) noexcept {
  if (!std::isfinite(value)) return 0;
  return static_cast<std::uint32_t>(static_cast<std::int64_t>(std::fmod(value, 4294967296.0)));
}

}  // namespace bloomery::ecmascript
