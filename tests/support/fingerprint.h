// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

namespace bloomery::golden {

// 40 digits, as the fingerprints of requests are; tests/golden/foreign/make_scrapy.py makes the
// same.
inline std::string fingerprint(std::int64_t i) {
  std::string digits;
  for (std::uint32_t j = 1; j <= 5; ++j) {
    std::uint32_t word = (static_cast<std::uint32_t>(i) + 1) * j * 0x9e3779b1U;
    word = (word ^ word >> 15) * 0x85ebca77U;
    char text[9];
    std::snprintf(text, sizeof text, "%08x", word ^ word >> 13);
    digits += text;
  }
  return digits;
}

}  // namespace bloomery::golden
