// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// The numbers of PHP on 64-bit machines, as far as the PHP class's hashes need them (php.h).
namespace bloomery {

// (int) of a float, and what bit operations make of one: modulo 2^64, 0 for infinities and NaN.
std::int64_t php_int(double value) noexcept;

// The value of an expression: an int until + - * overflow, then a float.
class PhpNumber {
 public:
  PhpNumber(std::int64_t value) noexcept : int_(value) {}  // NOLINT: as in PHP, ints are numbers

  std::int64_t to_int() const noexcept { return is_float_ ? php_int(float_) : int_; }

  friend PhpNumber operator+(PhpNumber a, PhpNumber b) noexcept {
    std::int64_t sum = 0;
    if (both_int(a, b) && !__builtin_add_overflow(a.int_, b.int_, &sum)) return sum;
    return of_float(a.to_float() + b.to_float());
  }
  friend PhpNumber operator-(PhpNumber a, PhpNumber b) noexcept {
    std::int64_t difference = 0;
    if (both_int(a, b) && !__builtin_sub_overflow(a.int_, b.int_, &difference)) return difference;
    return of_float(a.to_float() - b.to_float());
  }
  friend PhpNumber operator*(PhpNumber a, PhpNumber b) noexcept {
    std::int64_t product = 0;
    if (both_int(a, b) && !__builtin_mul_overflow(a.int_, b.int_, &product)) return product;
    return of_float(a.to_float() * b.to_float());
  }

 private:
  static bool both_int(PhpNumber a, PhpNumber b) noexcept { return !a.is_float_ && !b.is_float_; }
  static PhpNumber of_float(double value) noexcept {
    PhpNumber number(0);
    number.float_ = value;
    number.is_float_ = true;
    return number;
  }
  double to_float() const noexcept { return is_float_ ? float_ : static_cast<double>(int_); }

  std::int64_t int_;
  double float_ = 0;
  bool is_float_ = false;
};

// << of PHP: bits that leave are lost.
inline std::int64_t php_shift_left(std::int64_t value, int by) noexcept {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << by);
}

}  // namespace bloomery
