#include "bloomery/format/rdb/module_value.h"

#include <bit>
#include <string_view>

#include "bloomery/format/redisbloom_dump.h"

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

constexpr const char* kEndField = "end of a module's values";

void expect_tag(RdbCursor& cursor, std::uint64_t tag, const char* field) {
  const std::size_t at = cursor.offset();
  const std::uint64_t found = cursor.length(field);
  if (found != tag) {
    cursor.refuse(
        at, field,
        "a value with tag " + std::to_string(found) + ", where it has " + std::to_string(tag));
  }
}

std::uint64_t read_number(RdbCursor& cursor, const char* field) {
  expect_tag(cursor, kUnsigned, field);
  return cursor.length(field);
}

std::string place_of(const RdbCursor& cursor) {
  return "before byte " + std::to_string(cursor.offset());
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
  return read_number(cursor_, field);
}

double ModuleReader::real(const char* field) {
  expect_tag(cursor_, kDouble, field);
  return cursor_.little<double>(field);
}

void ModuleReader::bits(const Layer& link) {
  expect_tag(cursor_, kString, "bits of a link");
  const PackedString string = cursor_.string("bits of a link");
  const std::uint64_t bytes = redisbloom::link_bytes(link);
  if (string.byte_count != bytes) {
    cursor_.refuse(string.offset, "bits of a link",
                   std::to_string(string.byte_count) + " bytes, where its " +
                       std::to_string(link.geometry.bit_count) + " bits take " +
                       std::to_string(bytes));
  }
  if (bits_ == Bits::pass_over) return;
  if (string.form == PackedString::Form::plain) {
    words_.push_back(redisbloom::words_of_link(link, string.raw, "a RedisBloom filter"));
    return;
  }
  std::vector<std::byte> unpacked(bytes);
  cursor_.unpack(string, unpacked, "bits of a link");
  words_.push_back(redisbloom::words_of_link(link, unpacked, "a RedisBloom filter"));
}

void ModuleReader::skip_bits() {
  expect_tag(cursor_, kString, "bits of a link");
  cursor_.string("bits of a link");
}

std::string ModuleReader::place() const {
  return place_of(cursor_);
}

void ModuleReader::expect_end() {
  expect_tag(cursor_, kEndOfValue, kEndField);
}

std::uint64_t CuckooReader::number(const char* field) {
  return read_number(cursor_, field);
}

std::uint64_t CuckooReader::string(const char* field) {
  expect_tag(cursor_, kString, field);
  string_ = cursor_.string(field);
  return string_.byte_count;
}

void CuckooReader::copy(std::span<std::byte> to) {
  cursor_.unpack(string_, to, "string of a module");
}

std::string CuckooReader::place() const {
  return place_of(cursor_);
}

void CuckooReader::expect_end() {
  expect_tag(cursor_, kEndOfValue, kEndField);
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
