// SPDX-License-Identifier: Apache-2.0
#include "bloomery/text/human_bytes.h"

#include <array>
#include <cstddef>
#include <cstdio>

namespace bloomery {

std::string human_bytes(double byte_count) {
  constexpr std::array<const char*, 7> kUnits{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  while (byte_count >= 1024 && unit + 1 < kUnits.size()) {
    byte_count /= 1024;
    ++unit;
  }
  std::array<char, 400> text{};
  const int digits = unit == 0 || byte_count >= 100 ? 0 : 1;
  std::snprintf(text.data(), text.size(), "%.*f %s", digits, byte_count, kUnits[unit]);
  return text.data();
}

}  // namespace bloomery
