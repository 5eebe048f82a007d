// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "bloomery/errors.h"

namespace bloomery::postgres {

// Takes numbers, the highest byte first, and texts off a message. Throws FormatError at its end.
class WireReader {
 public:
  explicit WireReader(std::string_view message) : rest_(message) {}

  std::size_t left() const noexcept { return rest_.size(); }

  std::string_view bytes(std::size_t count) {
    if (count > rest_.size()) throw FormatError("a message of the server is shorter than it says");
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  // Reads a text up to its NUL.
  std::string_view text() {
    const std::size_t end = rest_.find('\0');
    if (end == std::string_view::npos) throw FormatError("a name of the server's has no end");
    const std::string_view taken = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    return taken;
  }

  std::uint8_t u8() { return static_cast<std::uint8_t>(number(1)); }
  std::uint16_t u16() { return static_cast<std::uint16_t>(number(2)); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(number(4)); }
  std::uint64_t u64() { return number(8); }

 private:
  std::uint64_t number(std::size_t byte_count) {
    std::uint64_t value = 0;
    for (const char c : bytes(byte_count)) value = value << 8 | static_cast<unsigned char>(c);
    return value;
  }

  std::string_view rest_;
};

}  // namespace bloomery::postgres
