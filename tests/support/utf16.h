// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/golden.h"

namespace bloomery::golden {

// A unit alone as UTF-8 would code it, surrogates too.
inline std::string bytes_of_unit(unsigned unit) {
  if (unit < 0x80) return {static_cast<char>(unit)};
  if (unit < 0x800) {
    return {static_cast<char>(0xc0 | (unit >> 6)), static_cast<char>(0x80 | (unit & 0x3f))};
  }
  return {static_cast<char>(0xe0 | (unit >> 12)), static_cast<char>(0x80 | ((unit >> 6) & 0x3f)),
          static_cast<char>(0x80 | (unit & 0x3f))};
}

// The key of a vector of strings: {"s": text} or {"utf16_hex": units, big-endian}.
inline std::string string_key(const nlohmann::json& key) {
  if (key.contains("s")) return key["s"];
  const std::string bytes = bytes_of_hex(key["utf16_hex"]);
  std::string text;
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
    const auto high = static_cast<unsigned char>(bytes[i]);
    const auto low = static_cast<unsigned char>(bytes[i + 1]);
    text += bytes_of_unit(high * 256U + low);
  }
  return text;
}

}  // namespace bloomery::golden
