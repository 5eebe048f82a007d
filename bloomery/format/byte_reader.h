// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "bloomery/errors.h"

namespace bloomery {

// Takes fields off the front of bytes. What is not there is a FormatError that names the format,
// the field and its offset. Owns nothing but the name.
class ByteReader {
 public:
  ByteReader(std::span<const std::byte> bytes, std::string format)
      : bytes_(bytes), format_(std::move(format)) {}

  // A number, its least or its most significant byte first.
  template <class T>
  T little(const char* field) {
    return number<T>(field, std::endian::little);
  }
  template <class T>
  T big(const char* field) {
    return number<T>(field, std::endian::big);
  }

  std::span<const std::byte> take(std::uint64_t count, const char* field) {
    if (count > left()) {
      refuse(field,
             std::to_string(count) + " bytes, but only " + std::to_string(left()) + " are there");
    }
    at_ += count;
    return bytes_.subspan(at_ - count, count);
  }

  std::size_t offset() const noexcept { return at_; }
  std::size_t left() const noexcept { return bytes_.size() - at_; }

  // Throws where bytes follow the last field: they would neither be asked nor be written again.
  void end() const {
    if (left() == 0) return;
    refuse("its end", std::to_string(left()) +
                          " bytes more, which may be another filter; each takes a file of its own "
                          "(head -c " +
                          std::to_string(at_) + " FILE is the first, tail -c +" +
                          std::to_string(at_ + 1) + " FILE the rest)");
  }

  // Throws FormatError about the next field, or about one that began at `offset`.
  [[noreturn]] void refuse(const char* field, const std::string& why) const {
    refuse(at_, field, why);
  }
  [[noreturn]] void refuse(std::size_t offset, const char* field, const std::string& why) const {
    throw FormatError("not " + format_ + ": " + field + " at byte " + std::to_string(offset) +
                      ": " + why);
  }

 private:
  template <class T>
  requires std::is_arithmetic_v<T> T number(const char* field, std::endian order) {
    std::array<std::byte, sizeof(T)> raw;
    std::ranges::copy(take(sizeof(T), field), raw.begin());
    if (order != std::endian::native) std::ranges::reverse(raw);
    return std::bit_cast<T>(raw);
  }

  std::span<const std::byte> bytes_;
  std::string format_;
  std::size_t at_ = 0;
};

}  // namespace bloomery
