// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// The bytes that Kryo 5 makes of a value as Redisson's Kryo5Codec (its default since 3.19) calls
// it. Redisson's filters hash these bytes.
//
//   String   03, then as ASCII of 2 to 32 characters: the bytes, the last with 0x80 set
//            or else: length + 1 as a number whose first byte has 0x80 set, 0x40 for "more" and six
//            bits; then each UTF-16 unit as 1 to 3 bytes, as UTF-8 would
//   Integer  02, then the zigzag number, seven bits a byte, least first
//   Long     09, then the same; a ninth byte has all eight bits
namespace bloomery {

std::string kryo_string(std::string_view utf8);
std::string kryo_integer(std::int32_t value);
std::string kryo_long(std::int64_t value);

}  // namespace bloomery
