// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/rdb/rdb_cursor.h"

#include <cstring>

#include "bloomery/format/rdb/lzf.h"

namespace bloomery::rdb {

bool RdbCursor::is_encoded(const char* field, std::uint64_t& value) {
  const std::size_t at = offset();
  const std::uint8_t first = byte(field);
  switch (first >> 6) {
    case 0:
      value = first;
      return false;
    case 1:
      value = (std::uint64_t{first & 63U} << 8) | byte(field);
      return false;
    case 2:
      if (first == 0x80) {
        value = read_.big<std::uint32_t>(field);
      } else if (first == 0x81) {
        value = read_.big<std::uint64_t>(field);
      } else {
        refuse(at, field, "a length that begins with byte " + std::to_string(first));
      }
      return false;
    default:
      value = first & 63U;
      return true;
  }
}

std::uint64_t RdbCursor::length(const char* field) {
  const std::size_t at = offset();
  std::uint64_t value = 0;
  if (is_encoded(field, value)) refuse(at, field, "an encoded string where a length belongs");
  return value;
}

PackedString RdbCursor::string(const char* field) {
  PackedString string{.offset = offset()};
  std::uint64_t value = 0;
  if (!is_encoded(field, value)) {
    string.byte_count = value;
    string.raw = read_.take(value, field);
    return string;
  }
  switch (value) {
    case 0:
      string.integer = little<std::int8_t>(field);
      break;
    case 1:
      string.integer = little<std::int16_t>(field);
      break;
    case 2:
      string.integer = little<std::int32_t>(field);
      break;
    case 3: {
      string.form = PackedString::Form::lzf;
      const std::uint64_t packed = length(field);
      string.byte_count = length(field);
      if (string.byte_count > most_expanded(packed)) {
        refuse(string.offset, field,
               std::to_string(packed) + " packed bytes cannot hold " +
                   std::to_string(string.byte_count));
      }
      string.raw = read_.take(packed, field);
      return string;
    }
    default:
      refuse(string.offset, field, "a string of encoding " + std::to_string(value));
  }
  string.form = PackedString::Form::integer;
  string.byte_count = std::to_string(string.integer).size();
  return string;
}

void RdbCursor::unpack(const PackedString& string, std::span<std::byte> out,
                       const char* field) const {
  switch (string.form) {
    case PackedString::Form::plain:
      if (!out.empty()) std::memcpy(out.data(), string.raw.data(), out.size());
      return;
    case PackedString::Form::integer:
      std::memcpy(out.data(), std::to_string(string.integer).data(), out.size());
      return;
    case PackedString::Form::lzf:
      if (!expand_lzf(string.raw, out)) {
        refuse(string.offset, field, "its packed bytes do not unpack");
      }
  }
}

std::string RdbCursor::text(const PackedString& string, const char* field) const {
  std::string text(string.byte_count, '\0');
  unpack(string, std::as_writable_bytes(std::span(text)), field);
  return text;
}

}  // namespace bloomery::rdb
