// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/native/crc32c.h"

#include <array>
#include <cstring>

namespace bloomery {
namespace {

constexpr std::uint32_t kPolynomial = 0x82f63b78;  // 0x1edc6f41, bits reversed
constexpr std::size_t kStride = 8;

using Tables = std::array<std::array<std::uint32_t, 256>, kStride>;

// tables[0][b] moves one byte b through the register; tables[j][b] moves it on through j zero
// bytes, so that eight look-ups do eight bytes ("slicing by 8", Kounavis and Berry 2005).
constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) != 0 ? kPolynomial : 0);
    tables[0][byte] = value;
  }
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    for (std::size_t j = 1; j < kStride; ++j) {
      const std::uint32_t before = tables[j - 1][byte];
      tables[j][byte] = (before >> 8) ^ tables[0][before & 0xff];
    }
  }
  return tables;
}

constexpr Tables kTables = make_tables();

}  // namespace

std::uint32_t crc32c_by_table(std::span<const std::byte> bytes, std::uint32_t so_far) noexcept {
  std::uint32_t value = ~so_far;
  while (bytes.size() >= kStride) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data(), kStride);
    word ^= value;
    value = 0;
    for (std::size_t j = 0; j < kStride; ++j) {
      value ^= kTables[kStride - 1 - j][(word >> (8 * j)) & 0xff];
    }
    bytes = bytes.subspan(kStride);
  }
  for (const std::byte byte : bytes) {
    value = (value >> 8) ^ kTables[0][(value ^ static_cast<std::uint32_t>(byte)) & 0xff];
  }
  return ~value;
}

bool has_crc32c_instruction() noexcept {
#if defined(__x86_64__)
  static const bool has = __builtin_cpu_supports("sse4.2") != 0;
  return has;
#else
  return false;
#endif
}

std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t so_far) noexcept {
#if defined(__x86_64__)
  if (has_crc32c_instruction()) return crc32c_by_instruction(bytes, so_far);
#endif
  return crc32c_by_table(bytes, so_far);
}

}  // namespace bloomery
