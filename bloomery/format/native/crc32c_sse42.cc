// SPDX-License-Identifier: Apache-2.0
// The only file compiled for SSE4.2.
#include <nmmintrin.h>

#include <array>
#include <cstring>

#include "bloomery/format/native/crc32c.h"

namespace bloomery {
namespace {

// The instruction takes three cycles and a new one can start in each, so three stretches of the
// bytes run side by side and are joined at the end.
constexpr std::size_t kStretch = 2048;

using Shift = std::array<std::array<std::uint32_t, 256>, 4>;

// Tables of what kStretch zero bytes make of each byte of the register. The register is linear over
// xor: follow the 32 single bits, and combine.
Shift make_shift() {
  std::array<std::uint32_t, 32> of_bit{};
  for (std::size_t bit = 0; bit < of_bit.size(); ++bit) {
    std::uint64_t value = std::uint64_t{1} << bit;
    for (std::size_t i = 0; i < kStretch / 8; ++i) value = _mm_crc32_u64(value, 0);
    of_bit[bit] = static_cast<std::uint32_t>(value);
  }
  Shift shift{};
  for (std::size_t place = 0; place < shift.size(); ++place) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      for (std::size_t bit = 0; bit < 8; ++bit) {
        if ((byte >> bit & 1) != 0) shift[place][byte] ^= of_bit[place * 8 + bit];
      }
    }
  }
  return shift;
}

std::uint64_t after_stretch(const Shift& shift, std::uint64_t value) noexcept {
  return shift[0][value & 0xff] ^ shift[1][value >> 8 & 0xff] ^ shift[2][value >> 16 & 0xff] ^
         shift[3][value >> 24 & 0xff];
}

std::uint64_t word_at(const std::byte* bytes) noexcept {
  std::uint64_t word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

}  // namespace

std::uint32_t crc32c_by_instruction(std::span<const std::byte> bytes,
                                    std::uint32_t so_far) noexcept {
  static const Shift shift = make_shift();
  std::uint64_t value = ~so_far;
  for (; bytes.size() >= 3 * kStretch; bytes = bytes.subspan(3 * kStretch)) {
    const std::byte* const at = bytes.data();
    std::uint64_t second = 0;
    std::uint64_t third = 0;
    for (std::size_t i = 0; i < kStretch; i += 8) {
      value = _mm_crc32_u64(value, word_at(at + i));
      second = _mm_crc32_u64(second, word_at(at + kStretch + i));
      third = _mm_crc32_u64(third, word_at(at + 2 * kStretch + i));
    }
    value = after_stretch(shift, value) ^ second;
    value = after_stretch(shift, value) ^ third;
  }
  for (; bytes.size() >= 8; bytes = bytes.subspan(8)) {
    value = _mm_crc32_u64(value, word_at(bytes.data()));
  }
  for (const std::byte byte : bytes) {
    value = _mm_crc32_u8(static_cast<std::uint32_t>(value), static_cast<unsigned char>(byte));
  }
  return ~static_cast<std::uint32_t>(value);
}

}  // namespace bloomery
