// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace bloomery {

// The places of things in a native file. All numbers are little-endian; offsets and sizes in bytes.
//
//   +-----------+------------------+--------------+-------------------+--------------------------+
//   | header 64 | fields, 8 times  | zeros up to  | body: the words,  | table: CRC32C of each    |
//   |           | 0 to 8191        | 4096 times n | 8 each            | 64 KiB of body, 4 each   |
//   +-----------+------------------+--------------+-------------------+--------------------------+
//
// No file is longer or shorter than this. docs/format.md has the header's fields.
struct FileLayout {
  std::uint64_t field_bytes = 0;
  std::uint64_t body_offset = 0;
  std::uint64_t body_bytes = 0;
  std::uint64_t block_count = 0;
  std::uint64_t table_offset = 0;
  std::uint64_t table_bytes = 0;
  std::uint64_t file_bytes = 0;

  static constexpr FileLayout of(std::uint16_t field_bytes, std::uint64_t bit_count) noexcept;

  // The bytes of the body that block `index` covers: from, and up to but not including.
  std::uint64_t block_begin(std::uint64_t index) const noexcept;
  std::uint64_t block_end(std::uint64_t index) const noexcept;
};

inline constexpr std::uint64_t kHeaderBytes = 64;
inline constexpr std::uint64_t kBodyAlignment = 4096;
inline constexpr std::uint64_t kBlockBytes = 64 * 1024;
inline constexpr std::size_t kBlockWords = kBlockBytes / sizeof(std::uint64_t);
// `kMaxHeadBytes`: nothing before the body is longer.
inline constexpr std::uint64_t kMaxHeadBytes = 17 * kBodyAlignment;

inline constexpr std::array<std::uint8_t, 8> kFileMagic{0x89, 'B', 'L', 'O', 'O', 'M', '\r', '\n'};
inline constexpr std::uint8_t kFileVersion = 1;
// The header has the length of the fields in 16 bits, and the bit count of the body in 64.
inline constexpr std::size_t kFieldBytesAt = 14;
inline constexpr std::size_t kBodyBitsAt = 24;
inline constexpr std::uint8_t kFlagOpenForWriting = 1;
inline constexpr std::uint8_t kFlagLive = 2;  // in a server: the table says nothing of the body

// No sum here can overflow: the body of the largest bit count is 2^61 bytes.
constexpr FileLayout FileLayout::of(std::uint16_t field_bytes, std::uint64_t bit_count) noexcept {
  FileLayout layout;
  layout.field_bytes = field_bytes;
  layout.body_offset =
      (kHeaderBytes + field_bytes + kBodyAlignment - 1) / kBodyAlignment * kBodyAlignment;
  layout.body_bytes = bit_count / 8;
  layout.block_count = (layout.body_bytes + kBlockBytes - 1) / kBlockBytes;
  layout.table_offset = layout.body_offset + layout.body_bytes;
  layout.table_bytes = layout.block_count * sizeof(std::uint32_t);
  layout.file_bytes = layout.table_offset + layout.table_bytes;
  return layout;
}

inline std::uint64_t FileLayout::block_begin(std::uint64_t index) const noexcept {
  return body_offset + index * kBlockBytes;
}
inline std::uint64_t FileLayout::block_end(std::uint64_t index) const noexcept {
  return std::min(block_begin(index) + kBlockBytes, table_offset);
}

}  // namespace bloomery
