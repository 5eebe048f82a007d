// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "bloomery/place/fence_source.h"

namespace bloomery::mariadb {

// Reads a binary log's bytes from the front, and never beyond their end.
class ByteCursor {
 public:
  explicit ByteCursor(std::string_view bytes) noexcept : rest_(bytes) {}

  std::size_t left() const noexcept { return rest_.size(); }
  std::string_view rest() const noexcept { return rest_; }

  std::string_view take(std::size_t count) {
    if (count > rest_.size()) {
      throw SourceChanged("an event of the binary log is cut short or damaged");
    }
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  void drop_back(std::size_t count) {
    ByteCursor(*this).take(count);
    rest_.remove_suffix(count);
  }
  std::uint8_t byte() { return static_cast<std::uint8_t>(take(1)[0]); }
  // Little-endian, up to 8 bytes.
  std::uint64_t number(std::size_t byte_count) {
    std::uint64_t value = 0;
    const std::string_view bytes = take(byte_count);
    for (std::size_t i = 0; i < byte_count; ++i) {
      value |= std::uint64_t{static_cast<std::uint8_t>(bytes[i])} << (8 * i);
    }
    return value;
  }
  // A number as MySQL writes lengths: one byte, or a mark and 2, 3 or 8.
  std::uint64_t packed_number() {
    const std::uint8_t first = byte();
    if (first < 251) return first;
    if (first == 252) return number(2);
    if (first == 253) return number(3);
    if (first == 254) return number(8);
    throw SourceChanged("an event of the binary log holds a length that is none");
  }

 private:
  std::string_view rest_;
};

// Returns whether bit i is set, from the lowest of the first byte.
inline bool bit_of(std::string_view bits, std::size_t i) noexcept {
  return ((static_cast<std::uint8_t>(bits[i / 8]) >> (i % 8)) & 1) != 0;
}

}  // namespace bloomery::mariadb
