// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/client/hash_slot.h"

namespace bloomery::redis {

std::string_view hash_tag(std::string_view key) noexcept {
  const std::size_t open = key.find('{');
  if (open == std::string_view::npos) return key;
  const std::size_t close = key.find('}', open + 1);
  if (close == std::string_view::npos || close == open + 1) return key;
  return key.substr(open + 1, close - open - 1);
}

std::uint16_t hash_slot(std::string_view key) noexcept {
  constexpr unsigned kPolynomial = 0x1021;
  unsigned crc = 0;
  for (const char c : hash_tag(key)) {
    crc ^= static_cast<unsigned>(static_cast<unsigned char>(c)) << 8;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc & 0x8000) != 0 ? (crc << 1) ^ kPolynomial : crc << 1;
    }
  }
  return static_cast<std::uint16_t>(crc % kHashSlots);
}

}  // namespace bloomery::redis
