// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/mariadb/logged_key.h"

#include <mysql.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace bloomery::mariadb {
namespace {

struct LoggedType {
  std::string_view data_type;
  std::uint8_t type;
  std::uint8_t integer_bytes;  // 0 for what is none
};

constexpr std::array<LoggedType, 17> kLoggedTypes{{{"tinyint", MYSQL_TYPE_TINY, 1},
                                                   {"smallint", MYSQL_TYPE_SHORT, 2},
                                                   {"mediumint", MYSQL_TYPE_INT24, 3},
                                                   {"int", MYSQL_TYPE_LONG, 4},
                                                   {"bigint", MYSQL_TYPE_LONGLONG, 8},
                                                   {"char", MYSQL_TYPE_STRING, 0},
                                                   {"binary", MYSQL_TYPE_STRING, 0},
                                                   {"varchar", MYSQL_TYPE_VARCHAR, 0},
                                                   {"varbinary", MYSQL_TYPE_VARCHAR, 0},
                                                   {"tinytext", MYSQL_TYPE_BLOB, 0},
                                                   {"text", MYSQL_TYPE_BLOB, 0},
                                                   {"mediumtext", MYSQL_TYPE_BLOB, 0},
                                                   {"longtext", MYSQL_TYPE_BLOB, 0},
                                                   {"tinyblob", MYSQL_TYPE_BLOB, 0},
                                                   {"blob", MYSQL_TYPE_BLOB, 0},
                                                   {"mediumblob", MYSQL_TYPE_BLOB, 0},
                                                   {"longblob", MYSQL_TYPE_BLOB, 0}}};

constexpr std::array<std::string_view, 5> kUtf8Charsets{"", "utf8mb4", "utf8mb3", "utf8", "ascii"};

// MariaDB's latin1 from 0x80 to 0x9f: Windows-1252, and the byte itself where that has nothing.
constexpr std::array<char16_t, 32> kLatin1Middle{
    0x20ac, 0x0081, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x008d, 0x017d, 0x008f, 0x0090, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
    0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x009d, 0x017e, 0x0178};

const LoggedType* find_logged_type(std::string_view data_type) noexcept {
  const auto* const found = std::ranges::find(kLoggedTypes, data_type, &LoggedType::data_type);
  return found == kLoggedTypes.end() ? nullptr : found;
}

std::string_view without_blanks_behind(std::string_view text) noexcept {
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

}  // namespace

std::string logged_key_problem(const Column& column) {
  const std::string is = "is " + column.type;
  if (find_logged_type(column.data_type) == nullptr) {
    return is + "; followed are integers, CHAR, VARCHAR, TEXT, BINARY, VARBINARY and BLOB";
  }
  const bool is_known = column.charset == "latin1" ||
                        std::ranges::find(kUtf8Charsets, column.charset) != kUtf8Charsets.end();
  if (!is_known) {
    return is + " CHARACTER SET " + column.charset +
           "; followed are utf8mb4, utf8mb3, latin1, ascii and binary";
  }
  if (column.extra.find(" GENERATED") != std::string::npos) {
    return "is computed (" + column.extra + "), and its values are not logged; follow a stored one";
  }
  if (column.type.find("compressed") != std::string::npos ||
      column.type.find("COMPRESSED") != std::string::npos) {
    return is + "; follow one that is not compressed";
  }
  return {};
}

LoggedKey::LoggedKey(const Column& column)
    : name_(column.name), is_unsigned_(column.is_unsigned()), byte_count_(column.length) {
  const LoggedType& type = *find_logged_type(column.data_type);
  type_ = type.type;
  if (type.integer_bytes > 0) {
    kind_ = Kind::integer;
    byte_count_ = type.integer_bytes;
  } else if (column.data_type == "binary") {
    kind_ = Kind::fixed_binary;
  } else if (column.data_type == "char") {
    kind_ = column.charset == "latin1" ? Kind::fixed_latin1 : Kind::fixed_text;
  } else {
    kind_ = column.charset == "latin1" ? Kind::latin1 : Kind::as_is;
  }
}

void LoggedKey::check_type(const RowLayout::Field& field) const {
  if (field.type == type_) return;
  throw SourceChanged("the binary log has column " + name_ + " with another type (" +
                      std::to_string(field.type) + ") than the table");
}

std::string_view LoggedKey::text(std::string_view bytes) {
  switch (kind_) {
    case Kind::integer:
      return digits(bytes);
    case Kind::latin1:
      return from_latin1(bytes);
    case Kind::fixed_text:
      return without_blanks_behind(bytes);
    case Kind::fixed_latin1:
      return from_latin1(without_blanks_behind(bytes));
    case Kind::fixed_binary:
      // The log leaves out the zeros behind.
      if (bytes.size() >= byte_count_) return bytes;
      room_ = bytes;
      room_.resize(byte_count_, '\0');
      return room_;
    case Kind::as_is:
      break;
  }
  return bytes;
}

std::string_view LoggedKey::digits(std::string_view bytes) {
  const std::uint64_t value = ByteCursor(bytes).number(byte_count_);
  constexpr std::size_t kMostDigits = 20;
  room_.resize(kMostDigits);
  const auto write = [&](auto number) {
    return std::to_chars(room_.data(), room_.data() + kMostDigits, number).ptr;
  };
  const auto unused_bits = static_cast<int>(64 - 8 * byte_count_);
  const char* const end =
      is_unsigned_ ? write(value)
                   : write(static_cast<std::int64_t>(value << unused_bits) >> unused_bits);
  return {room_.data(), static_cast<std::size_t>(end - room_.data())};
}

std::string_view LoggedKey::from_latin1(std::string_view bytes) {
  if (std::ranges::all_of(bytes, [](char c) { return static_cast<unsigned char>(c) < 0x80; })) {
    return bytes;
  }
  room_.clear();
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    const char16_t code = byte >= 0x80 && byte < 0xa0 ? kLatin1Middle[byte - 0x80] : byte;
    if (code < 0x80) {
      room_ += c;
    } else if (code < 0x800) {
      room_ += static_cast<char>(0xc0 | (code >> 6));
      room_ += static_cast<char>(0x80 | (code & 0x3f));
    } else {
      room_ += static_cast<char>(0xe0 | (code >> 12));
      room_ += static_cast<char>(0x80 | ((code >> 6) & 0x3f));
      room_ += static_cast<char>(0x80 | (code & 0x3f));
    }
  }
  return room_;
}

}  // namespace bloomery::mariadb
