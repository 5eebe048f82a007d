// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "bloomery/format/byte_reader.h"

namespace bloomery::rdb {

// A string as a dump has it: as it is, an integer that stands for its decimal digits, or packed.
struct PackedString {
  enum class Form : std::uint8_t { plain, integer, lzf };
  Form form = Form::plain;
  std::span<const std::byte> raw{};  // not of an integer
  std::int64_t integer = 0;
  std::uint64_t byte_count = 0;  // unpacked
  std::size_t offset = 0;        // of the dump
};

// Takes the elements of a dump off its front: numbers, lengths and strings. Throws FormatError as
// ByteReader does; nothing is copied before it is asked for.
//
//   length   00llllll                 6 bits
//            01llllll  l              14 bits, the upper ones first
//            10000000  4 bytes        32 bits, big-endian
//            10000001  8 bytes        64 bits, big-endian
//   string   length, and as many bytes; or
//            11000000  1 byte         an integer of 8, 16 or 32 bits, little-endian
//            11000001  2 bytes
//            11000010  4 bytes
//            11000011  length packed, length unpacked, and the packed bytes: LZF
class RdbCursor {
 public:
  RdbCursor(std::span<const std::byte> bytes, std::string format)
      : read_(bytes, std::move(format)) {}

  std::uint8_t byte(const char* field) { return read_.little<std::uint8_t>(field); }
  std::uint64_t length(const char* field);
  PackedString string(const char* field);
  void skip(std::uint64_t byte_count, const char* field) { read_.take(byte_count, field); }
  void skip_strings(std::uint64_t count, const char* field) {
    for (std::uint64_t i = 0; i < count; ++i) string(field);
  }
  void skip_lengths(std::uint64_t count, const char* field) {
    for (std::uint64_t i = 0; i < count; ++i) length(field);
  }
  template <class T>
  T little(const char* field) {
    return read_.little<T>(field);
  }

  // The unpacked string. Throws FormatError if it does not unpack. `out` has byte_count bytes.
  std::string text(const PackedString& string, const char* field) const;
  void unpack(const PackedString& string, std::span<std::byte> out, const char* field) const;

  std::size_t offset() const noexcept { return read_.offset(); }
  std::size_t left() const noexcept { return read_.left(); }
  [[noreturn]] void refuse(std::size_t offset, const char* field, const std::string& why) const {
    read_.refuse(offset, field, why);
  }

 private:
  // The upper two bits were 11: the lower six, else the length.
  bool is_encoded(const char* field, std::uint64_t& value);

  ByteReader read_;
};

}  // namespace bloomery::rdb
