// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/from_utf16.h"

#include <utility>

#include "bloomery/errors.h"

namespace bloomery {
namespace {

// RFC 3629, section 3.
std::string utf8_of(std::uint32_t point) {
  const auto last = [&](unsigned shift) {
    return static_cast<char>(0x80 | ((point >> shift) & 0x3f));
  };
  if (point < 0x80) return {static_cast<char>(point)};
  if (point < 0x800) return {static_cast<char>(0xc0 | (point >> 6)), last(0)};
  if (point < 0x10000) return {static_cast<char>(0xe0 | (point >> 12)), last(6), last(0)};
  return {static_cast<char>(0xf0 | (point >> 18)), last(12), last(6), last(0)};
}

}  // namespace

FromUtf16::FromUtf16(std::string name, std::string_view begin, bool is_big_endian)
    : name_(std::move(name)), bytes_(begin), is_big_endian_(is_big_endian) {}

std::size_t FromUtf16::read(char* out, std::size_t byte_count, const Read& read) {
  std::size_t made = 0;
  while (made < byte_count) {
    if (!ready_.empty()) {
      const std::size_t count = ready_.copy(out + made, byte_count - made);
      ready_.erase(0, count);
      made += count;
      continue;
    }
    if (bytes_.size() == 0 && made > 0) break;
    if (!bytes_.refill(read)) {
      if (half_ >= 0 || high_ != 0) {
        throw StoreError(name_ + ": ends within a character of UTF-16; cut short?");
      }
      break;
    }
    const int byte = static_cast<unsigned char>(*bytes_.data());
    bytes_.use(1);
    if (half_ < 0) {
      half_ = byte;
      continue;
    }
    take(static_cast<std::uint16_t>(is_big_endian_ ? (half_ << 8) | byte : (byte << 8) | half_));
    half_ = -1;
  }
  return made;
}

void FromUtf16::take(std::uint16_t unit) {
  const std::uint64_t at = 2 * unit_count_++;
  const bool is_high = unit >= 0xd800 && unit < 0xdc00;
  const bool is_low = unit >= 0xdc00 && unit < 0xe000;
  if (is_low != (high_ != 0)) {
    throw StoreError(name_ + ": is damaged: half a character of UTF-16 at byte " +
                     std::to_string(at));
  }
  if (is_high) {
    high_ = unit;
  } else if (is_low) {
    ready_ = utf8_of(0x10000 + ((high_ - 0xd800) << 10) + (unit - 0xdc00U));
    high_ = 0;
  } else if (unit_count_ > 1 || unit != 0xfeff) {  // the mark itself is no part of the text
    ready_ = utf8_of(unit);
  }
}

}  // namespace bloomery
