// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// The arithmetic of ECMAScript that the JavaScript class runs on (javascript.h).
namespace bloomery::ecmascript {

// Number(String(value) + unit): a number to which a UTF-16 unit is appended as text, read as a
// number again. `value` is one that this came to before: whole and not negative, Infinity or NaN.
double append(double value, std::uint16_t unit) noexcept;

// ToInt32, as the bits it has: modulo 2^32; 0 for Infinity and NaN.
std::uint32_t to_int32(double value) noexcept;

}  // namespace bloomery::ecmascript
