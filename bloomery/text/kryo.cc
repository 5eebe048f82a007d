// SPDX-License-Identifier: Apache-2.0
#include "bloomery/text/kryo.h"

#include <algorithm>

#include "bloomery/text/utf16.h"

namespace bloomery {
namespace {

constexpr char kIntegerClass = 2;
constexpr char kStringClass = 3;
constexpr char kLongClass = 9;
constexpr std::size_t kLongestAscii = 32;

// The flag 0x80 is another's, so the first byte has six bits of the value.
void append_flagged(std::string& to, std::uint64_t value) {
  const bool more = value >> 6 != 0;
  to += static_cast<char>(0x80 | (value & 0x3f) | (more ? 0x40 : 0));
  for (value >>= 6; more; value >>= 7) {
    if (value >> 7 == 0) {
      to += static_cast<char>(value);
      return;
    }
    to += static_cast<char>(0x80 | (value & 0x7f));
  }
}

void append_varlong(std::string& to, std::uint64_t value) {
  for (int byte = 0; byte < 8 && value >> 7 != 0; ++byte, value >>= 7) {
    to += static_cast<char>(0x80 | (value & 0x7f));
  }
  to += static_cast<char>(value);
}

void append_unit(std::string& to, std::uint16_t unit) {
  if (unit < 0x80) {
    to += static_cast<char>(unit);
  } else if (unit < 0x800) {
    to += static_cast<char>(0xc0 | (unit >> 6));
    to += static_cast<char>(0x80 | (unit & 0x3f));
  } else {
    to += static_cast<char>(0xe0 | (unit >> 12));
    to += static_cast<char>(0x80 | ((unit >> 6) & 0x3f));
    to += static_cast<char>(0x80 | (unit & 0x3f));
  }
}

std::uint64_t zigzag(std::int64_t value) noexcept {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}

}  // namespace

std::string kryo_string(std::string_view utf8) {
  const bool ascii =
      std::ranges::all_of(utf8, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  std::string bytes(1, kStringClass);
  if (ascii && utf8.size() > 1 && utf8.size() <= kLongestAscii) {
    bytes += utf8;
    bytes.back() = static_cast<char>(bytes.back() | 0x80);
    return bytes;
  }
  std::uint64_t unit_count = 0;
  for_each_utf16_unit(utf8, [&](std::uint16_t) { ++unit_count; });
  append_flagged(bytes, unit_count + 1);
  for_each_utf16_unit(utf8, [&](std::uint16_t unit) { append_unit(bytes, unit); });
  return bytes;
}

std::string kryo_integer(std::int32_t value) {
  std::string bytes(1, kIntegerClass);
  append_varlong(bytes, zigzag(value));
  return bytes;
}

std::string kryo_long(std::int64_t value) {
  std::string bytes(1, kLongClass);
  append_varlong(bytes, zigzag(value));
  return bytes;
}

}  // namespace bloomery
