// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/rdb/module_value.h"

#include <bit>
#include <string_view>

#include "bloomery/format/redisbloom/redisbloom_dump.h"

namespace bloomery::rdb {
namespace {

constexpr std::string_view kLetters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr int kVersionBits = 10;
constexpr int kLetterBits = 6;
constexpr int kNameLetters = 9;

enum Tag : std::uint8_t {
  kEndOfValue = 0,
  kSigned = 1,
  kUnsigned = 2,
  kFloat = 3,
  kDouble = 4,
  kString = 5
};

void expect_tag(RdbCursor& cursor, std::uint64_t tag, const char* field) {
  const std::size_t at = cursor.offset();
  const std::uint64_t found = cursor.length(field);
  if (found != tag) {
    cursor.refuse(
        at, field,
        "a value with tag " + std::to_string(found) + ", where it has " + std::to_string(tag));
  }
}

}  // namespace

ModuleType module_type(std::uint64_t id) {
  ModuleType type;
  type.encoding_version = static_cast<std::uint32_t>(id & ((1U << kVersionBits) - 1));
  for (int i = 0; i < kNameLetters; ++i) {
    type.name += kLetters[(id >> (64 - kLetterBits * (i + 1))) & 63];
  }
  return type;
}

std::uint64_t module_type_id(const ModuleType& type) noexcept {
  std::uint64_t id = 0;
  for (const char letter : type.name) id = (id << kLetterBits) | kLetters.find(letter);
  return (id << kVersionBits) | type.encoding_version;
}

void skip_module_values(RdbCursor& cursor) {
  for (;;) {
    const std::size_t at = cursor.offset();
    switch (const std::uint64_t tag = cursor.length("tag of a module's value")) {
      case kEndOfValue:
        return;
      case kSigned:
      case kUnsigned:
        cursor.length("number of a module");
        break;
      case kFloat:
        cursor.skip(sizeof(float), "float of a module");
        break;
      case kDouble:
        cursor.skip(sizeof(double), "double of a module");
        break;
      case kString:
        cursor.string("string of a module");
        break;
      default:
        cursor.refuse(at, "tag of a module's value",
                      std::to_string(tag) + ", where 0 to 5 are known");
    }
  }
}

std::uint64_t ModuleReader::number(const char* field) {
  expect_tag(cursor_, kUnsigned, field);
  return cursor_.length(field);
}

double ModuleReader::real(const char* field) {
  expect_tag(cursor_, kDouble, field);
  return cursor_.little<double>(field);
}

std::uint64_t ModuleReader::string(const char* field) {
  expect_tag(cursor_, kString, field);
  string_ = cursor_.string(field);
  return string_.byte_count;
}

void ModuleReader::copy(std::span<std::byte> to) {
  cursor_.unpack(string_, to, "string of a module");
}

std::string ModuleReader::place() const {
  return "before byte " + std::to_string(cursor_.offset());
}

void ModuleReader::expect_end() {
  expect_tag(cursor_, kEndOfValue, "end of a module's values");
}

void ModuleWriter::put_length(std::uint64_t value) {
  if (value < 1 << 6) return put(static_cast<std::uint8_t>(value));
  if (value < 1 << 14) {
    put(static_cast<std::uint8_t>(0x40 | (value >> 8)));
    return put(static_cast<std::uint8_t>(value));
  }
  const bool wide = value > 0xffffffff;
  put(wide ? 0x81 : 0x80);
  for (int shift = wide ? 56 : 24; shift >= 0; shift -= 8) {
    put(static_cast<std::uint8_t>(value >> shift));
  }
}

void ModuleWriter::type(const ModuleType& type) {
  put_length(module_type_id(type));
}

void ModuleWriter::number(std::uint64_t value) {
  put_length(kUnsigned);
  put_length(value);
}

void ModuleWriter::real(double value) {
  put_length(kDouble);
  const auto bytes = std::as_bytes(std::span(&value, 1));
  held_.insert(held_.end(), bytes.begin(), bytes.end());
}

void ModuleWriter::string(std::span<const std::byte> bytes) {
  put_length(kString);
  put_length(bytes.size());
  flush();
  sink_(bytes);
}

void ModuleWriter::end() {
  put_length(kEndOfValue);
  flush();
}

void ModuleWriter::flush() {
  sink_(held_);
  held_.clear();
}

}  // namespace bloomery::rdb
