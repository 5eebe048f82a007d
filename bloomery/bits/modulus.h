// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace bloomery {

// A number, at least 1, that many others are divided by. Division is the slowest of a processor's
// operations: a remainder by this takes two multiplications instead.
class Modulus {
 public:
  // Divides once: made to be kept.
  constexpr Modulus(std::uint64_t value) noexcept  // NOLINT: a number is one
      : value_(value), reciprocal_(~std::uint64_t{0} / value) {}

  constexpr operator std::uint64_t() const noexcept { return value_; }  // NOLINT

  // The quotient is too small by at most one, because the reciprocal is rounded down.
  friend constexpr std::uint64_t operator%(std::uint64_t number, const Modulus& by) noexcept {
    __extension__ using Wide = unsigned __int128;
    const auto quotient =
        static_cast<std::uint64_t>(static_cast<Wide>(number) * by.reciprocal_ >> 64);
    const std::uint64_t rest = number - quotient * by.value_;
    return rest >= by.value_ ? rest - by.value_ : rest;
  }

 private:
  std::uint64_t value_;
  std::uint64_t reciprocal_;
};

}  // namespace bloomery
