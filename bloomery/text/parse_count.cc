// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "bloomery/text/human_number.h"
#include "bloomery/text/printable.h"

namespace bloomery {
namespace {

constexpr std::size_t kDeepestBrackets = 50;

bool is_count_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

constexpr const char* kNoCount = "is not a count";
constexpr const char* kTooMuch = "is more than 18446744073709551615, the most there can be";

// Reads digits from the front of `rest`, with single underscores between them.
std::string take_decimals(std::string_view& rest) {
  std::string digits;
  while (!rest.empty()) {
    const bool joint =
        rest[0] == '_' && !digits.empty() && rest.size() > 1 && is_count_digit(rest[1]);
    if (joint) rest.remove_prefix(1);
    if (!is_count_digit(rest[0])) break;
    digits += rest[0];
    rest.remove_prefix(1);
  }
  return digits;
}

// The power of ten that an exponent or a unit stands for; nothing where it is neither. Beyond a
// thousand digits it is all the same: out of range.
std::optional<std::int64_t> power_of_ten(std::string_view rest) {
  if (rest.empty()) return 0;
  const char letter = static_cast<char>(rest[0] | 0x20);
  rest.remove_prefix(1);
  if (letter == 'e') {
    const bool negative = !rest.empty() && rest[0] == '-';
    if (!rest.empty() && (rest[0] == '-' || rest[0] == '+')) rest.remove_prefix(1);
    if (rest.empty() || !std::all_of(rest.begin(), rest.end(), is_count_digit)) return std::nullopt;
    std::int64_t power = 0;
    for (const char c : rest) power = std::min<std::int64_t>(power * 10 + (c - '0'), 100'000'000);
    return negative ? -power : power;
  }
  constexpr std::string_view kUnits = "kmgt";
  const std::size_t unit = kUnits.find(letter);
  if (unit == std::string_view::npos || !rest.empty()) return std::nullopt;
  return 3 * (static_cast<std::int64_t>(unit) + 1);
}

// A single number; where it is none that can be counted with, `wrong` says why.
std::uint64_t whole_number(std::string_view rest, std::string& wrong) {
  std::string digits = take_decimals(rest);
  std::string fraction;
  const bool has_point = rest.starts_with('.');
  if (has_point) {
    rest.remove_prefix(1);
    fraction = take_decimals(rest);
  }
  const std::optional<std::int64_t> unit = power_of_ten(rest);
  if (digits.empty() || (has_point && fraction.empty()) || !unit) {
    wrong = kNoCount;
    return 0;
  }
  // digits.fraction * 10^power = (digits fraction) * 10^(power - fraction digits)
  std::int64_t power = *unit - static_cast<std::int64_t>(fraction.size());
  digits += fraction;
  digits.erase(0, digits.find_first_not_of('0'));
  if (digits.empty()) return 0;
  while (power < 0 && digits.back() == '0') {
    digits.pop_back();
    ++power;
  }
  if (power < 0) {
    wrong = "is not whole";
    return 0;
  }
  std::uint64_t count = 0;
  bool overflow = power > 20;
  for (std::size_t i = 0; !overflow && i < digits.size() + static_cast<std::size_t>(power); ++i) {
    const auto value = static_cast<std::uint64_t>(i < digits.size() ? digits[i] - '0' : 0);
    overflow =
        __builtin_mul_overflow(count, 10U, &count) || __builtin_add_overflow(count, value, &count);
  }
  if (overflow) wrong = kTooMuch;
  return count;
}

// The part of an expression that may be a number: up to the next operator. The sign of an exponent
// is no operator.
std::string_view number_at(std::string_view rest) {
  std::size_t size = 0;
  for (; size < rest.size(); ++size) {
    const char c = rest[size];
    const bool is_letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
    const bool is_sign = (c == '+' || c == '-') && size > 0 && (rest[size - 1] | 0x20) == 'e';
    if (!is_count_digit(c) && !is_letter && !is_sign && c != '.' && c != '_') break;
  }
  return rest.substr(0, size);
}

// Whole numbers, + - * / ^ and brackets, by the usual precedence. Every value between is whole and
// fits, too; what is not names its place.
class CountParser {
 public:
  explicit CountParser(std::string_view text) : text_(text) {}

  std::uint64_t parse() {
    if (text_.starts_with('-')) refuse(text_, "is negative");
    const std::uint64_t count = sum();
    if (!rest().empty()) refuse(rest().substr(0, 1), kNoCount);
    return count;
  }

 private:
  using Count = std::uint64_t;

  std::string_view rest() const { return text_.substr(at_); }
  // Skips blanks before a character; blanks at the end stay, and are refused.
  void skip_blanks() {
    const std::size_t next = text_.find_first_not_of(' ', at_);
    if (next != std::string_view::npos) at_ = next;
  }

  // The operator that comes next, where it is one of these.
  char take(std::string_view operators) {
    if (rest().empty() || operators.find(rest()[0]) == std::string_view::npos) return 0;
    const char taken = text_[at_++];
    skip_blanks();
    return taken;
  }

  Count sum() {
    const std::size_t begin = at_;
    Count count = product();
    while (const char sign = take("+-")) {
      const Count other = product();
      if (sign == '+') {
        fits(!__builtin_add_overflow(count, other, &count), begin);
      } else {
        if (other > count) refuse(since(begin), "is negative");
        count -= other;
      }
    }
    return count;
  }

  Count product() {
    const std::size_t begin = at_;
    Count count = power();
    while (const char sign = take("*/")) {
      const Count other = power();
      if (sign == '*') {
        fits(!__builtin_mul_overflow(count, other, &count), begin);
      } else {
        if (other == 0) refuse(since(begin), "is divided by nothing");
        if (count % other != 0) refuse(since(begin), "is not whole");
        count /= other;
      }
    }
    return count;
  }

  // Powers associate to the right: 2^3^2 is 2^9.
  Count power() {
    const std::size_t begin = at_;
    const Count base = value();
    if (take("^") == 0) return base;
    const Deeper deeper(*this);
    const Count exponent = power();
    if (base <= 1) return exponent == 0 ? 1 : base;
    Count count = 1;
    fits(exponent < 64, begin);
    for (Count i = 0; i < exponent; ++i) fits(!__builtin_mul_overflow(count, base, &count), begin);
    return count;
  }

  Count value() {
    if (take("(") != 0) {
      const Deeper deeper(*this);
      const Count count = sum();
      if (take(")") == 0) refuse(rest().substr(0, 1), "is not a count, where a ) is missing");
      return count;
    }
    const std::string_view number = number_at(rest());
    if (number.empty()) refuse(rest().substr(0, 1), kNoCount);
    std::string wrong;
    const Count count = whole_number(number, wrong);
    if (!wrong.empty()) refuse(number, wrong);
    at_ += number.size();
    skip_blanks();
    return count;
  }

  // Brackets and powers in one another, which the stack must hold.
  class Deeper {
   public:
    explicit Deeper(CountParser& parser) : parser_(parser) {
      if (++parser_.depth_ > kDeepestBrackets) {
        parser_.refuse(parser_.rest().substr(0, 1), "is too deep in brackets");
      }
    }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    ~Deeper() { --parser_.depth_; }

   private:
    CountParser& parser_;
  };

  std::string_view since(std::size_t begin) const {
    std::string_view part = text_.substr(begin, at_ - begin);
    while (part.ends_with(' ')) part.remove_suffix(1);
    return part;
  }

  void fits(bool does, std::size_t begin) const {
    if (!does) refuse(since(begin), kTooMuch);
  }

  // `part`, of the text, is wrong.
  [[noreturn]] void refuse(std::string_view part, const std::string& why) const {
    std::string what = printable(text_);
    if (part != text_) {
      const auto place = static_cast<std::size_t>(part.data() - text_.data()) + 1;
      what += ": " + (part.empty() ? "its end" : printable(part)) + ", at character " +
              std::to_string(place) + ",";
    }
    throw std::invalid_argument(
        what + " " + why +
        "; write a whole number such as 250000, 100_000, 10M, 1.5G or 1e6, or 900*1M");
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
};

}  // namespace

std::uint64_t parse_count(std::string_view text) {
  return CountParser(text).parse();
}

}  // namespace bloomery
