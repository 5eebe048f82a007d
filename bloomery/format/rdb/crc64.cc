// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/rdb/crc64.h"

#include <array>
#include <bit>
#include <cstring>

namespace bloomery::rdb {
namespace {

constexpr std::uint64_t kReflected = 0x95ac9329ac4bc9b5;
constexpr std::size_t kSlices = 8;

// Slice s, byte b: what b does to the sum when s more bytes follow it.
constexpr auto make_tables() {
  std::array<std::array<std::uint64_t, 256>, kSlices> tables{};
  for (std::uint64_t byte = 0; byte < 256; ++byte) {
    std::uint64_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kReflected : 0);
    tables[0][byte] = crc;
  }
  for (std::size_t slice = 1; slice < kSlices; ++slice) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint64_t before = tables[slice - 1][byte];
      tables[slice][byte] = (before >> 8) ^ tables[0][before & 0xff];
    }
  }
  return tables;
}

constexpr auto kTables = make_tables();

}  // namespace

std::uint64_t crc64(std::span<const std::byte> bytes, std::uint64_t crc) noexcept {
  static_assert(std::endian::native == std::endian::little);
  std::size_t at = 0;
  for (; bytes.size() - at >= kSlices; at += kSlices) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    crc ^= word;
    std::uint64_t next = 0;
    for (std::size_t i = 0; i < kSlices; ++i) {
      next ^= kTables[kSlices - 1 - i][(crc >> (8 * i)) & 0xff];
    }
    crc = next;
  }
  for (; at < bytes.size(); ++at) {
    crc = (crc >> 8) ^ kTables[0][(crc ^ std::to_integer<std::uint64_t>(bytes[at])) & 0xff];
  }
  return crc;
}

}  // namespace bloomery::rdb
