// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/mariadb/row_layout.h"

#include <mysql.h>

#include <array>

namespace bloomery::mariadb {
namespace {

// The limit of columns, more than a table can have.
constexpr std::uint64_t kMostColumns = 4096 * 2;

// Types of columns that the headers of MariaDB's clients do not name: two of MariaDB's, and MySQL's
// vectors.
constexpr std::uint8_t kCompressedBlob = 140;
constexpr std::uint8_t kCompressedVarchar = 141;
constexpr std::uint8_t kVector = 242;

std::size_t parameter_bytes(std::uint8_t type) noexcept {
  switch (type) {
    case MYSQL_TYPE_FLOAT:
    case MYSQL_TYPE_DOUBLE:
    case MYSQL_TYPE_TINY_BLOB:
    case MYSQL_TYPE_MEDIUM_BLOB:
    case MYSQL_TYPE_LONG_BLOB:
    case MYSQL_TYPE_BLOB:
    case MYSQL_TYPE_GEOMETRY:
    case MYSQL_TYPE_JSON:
    case kVector:
    case kCompressedBlob:
    case MYSQL_TYPE_TIMESTAMP2:
    case MYSQL_TYPE_DATETIME2:
    case MYSQL_TYPE_TIME2:
      return 1;
    case MYSQL_TYPE_VARCHAR:
    case MYSQL_TYPE_VAR_STRING:
    case kCompressedVarchar:
    case MYSQL_TYPE_STRING:
    case MYSQL_TYPE_ENUM:
    case MYSQL_TYPE_SET:
    case MYSQL_TYPE_BIT:
    case MYSQL_TYPE_NEWDECIMAL:
      return 2;
    default:
      return 0;
  }
}

// The bytes of a decimal's digits on one side of the point: four bytes for nine digits.
std::size_t digit_bytes(std::size_t digits) noexcept {
  constexpr std::array<std::uint8_t, 9> kOfRest{0, 1, 1, 2, 2, 3, 3, 4, 4};
  return digits / 9 * 4 + kOfRest[digits % 9];
}

std::size_t decimal_bytes(std::uint16_t parameter) {
  const std::size_t precision = parameter & 0xff;
  const std::size_t scale = parameter >> 8;
  if (scale > precision) throw SourceChanged("the binary log has a decimal that is none");
  return digit_bytes(precision - scale) + digit_bytes(scale);
}

std::size_t fraction_bytes(std::uint16_t digits) noexcept {
  return (digits + 1U) / 2;
}

// CHAR, BINARY, ENUM, SET and their kin share a type; the true one is in its parameter.
std::string_view take_string(std::uint16_t parameter, ByteCursor& row) {
  const auto low = static_cast<std::uint8_t>(parameter);
  std::size_t most_bytes = parameter >> 8;
  std::uint8_t type = low;
  if ((low & 0x30) != 0x30) {
    most_bytes |= static_cast<std::size_t>((low & 0x30) ^ 0x30) << 4;
    type = low | 0x30;
  }
  if (type == MYSQL_TYPE_ENUM || type == MYSQL_TYPE_SET) return row.take(most_bytes);
  return row.take(row.number(most_bytes < 256 ? 1 : 2));
}

}  // namespace

TableMap read_table_map(std::string_view body) {
  ByteCursor cursor(body);
  TableMap map;
  map.id = cursor.number(6);
  cursor.take(2);
  map.layout.schema = cursor.take(cursor.byte());
  cursor.take(1);
  map.layout.table = cursor.take(cursor.byte());
  cursor.take(1);
  const std::uint64_t count = cursor.packed_number();
  if (count > kMostColumns) throw SourceChanged("the binary log has a table of too many columns");
  const std::string_view types = cursor.take(count);
  ByteCursor parameters(cursor.take(cursor.packed_number()));
  for (const char each : types) {
    const auto type = static_cast<std::uint8_t>(each);
    const std::size_t byte_count = parameter_bytes(type);
    map.layout.fields.push_back(
        {type, static_cast<std::uint16_t>(byte_count == 0 ? 0 : parameters.number(byte_count))});
  }
  map.has_unknown_type = parameters.left() > 0;
  return map;
}

std::string_view take_field(const RowLayout::Field& field, ByteCursor& row) {
  switch (field.type) {
    case MYSQL_TYPE_NULL:
      return {};
    case MYSQL_TYPE_TINY:
    case MYSQL_TYPE_YEAR:
      return row.take(1);
    case MYSQL_TYPE_SHORT:
      return row.take(2);
    case MYSQL_TYPE_INT24:
    case MYSQL_TYPE_DATE:
    case MYSQL_TYPE_NEWDATE:
    case MYSQL_TYPE_TIME:
      return row.take(3);
    case MYSQL_TYPE_LONG:
    case MYSQL_TYPE_FLOAT:
    case MYSQL_TYPE_TIMESTAMP:
      return row.take(4);
    case MYSQL_TYPE_LONGLONG:
    case MYSQL_TYPE_DOUBLE:
    case MYSQL_TYPE_DATETIME:
      return row.take(8);
    case MYSQL_TYPE_TIMESTAMP2:
      return row.take(4 + fraction_bytes(field.parameter));
    case MYSQL_TYPE_DATETIME2:
      return row.take(5 + fraction_bytes(field.parameter));
    case MYSQL_TYPE_TIME2:
      return row.take(3 + fraction_bytes(field.parameter));
    case MYSQL_TYPE_NEWDECIMAL:
      return row.take(decimal_bytes(field.parameter));
    case MYSQL_TYPE_BIT:
      return row.take((field.parameter >> 8) + ((field.parameter & 0xff) > 0 ? 1U : 0U));
    case MYSQL_TYPE_VARCHAR:
    case MYSQL_TYPE_VAR_STRING:
    case kCompressedVarchar:
      return row.take(row.number(field.parameter < 256 ? 1 : 2));
    case MYSQL_TYPE_STRING:
    case MYSQL_TYPE_ENUM:
    case MYSQL_TYPE_SET:
      return take_string(field.parameter, row);
    case MYSQL_TYPE_TINY_BLOB:
    case MYSQL_TYPE_MEDIUM_BLOB:
    case MYSQL_TYPE_LONG_BLOB:
    case MYSQL_TYPE_BLOB:
    case MYSQL_TYPE_GEOMETRY:
    case MYSQL_TYPE_JSON:
    case kVector:
    case kCompressedBlob:
      if (field.parameter == 0 || field.parameter > 4) break;
      return row.take(row.number(field.parameter));
    default:
      break;
  }
  throw SourceChanged("the binary log has a column of type " + std::to_string(field.type) +
                      ", which is unknown here");
}

LoggedField take_row(const RowLayout& layout, std::string_view logged, std::size_t wanted,
                     ByteCursor& rows) {
  std::size_t logged_count = 0;
  for (std::size_t i = 0; i < layout.fields.size(); ++i) logged_count += bit_of(logged, i) ? 1 : 0;
  const std::string_view nulls = rows.take((logged_count + 7) / 8);
  LoggedField found;
  std::size_t at = 0;
  for (std::size_t i = 0; i < layout.fields.size(); ++i) {
    if (!bit_of(logged, i)) continue;
    const bool is_null = bit_of(nulls, at++);
    std::optional<std::string_view> bytes;
    if (!is_null) bytes = take_field(layout.fields[i], rows);
    if (i == wanted) found = {true, bytes};
  }
  return found;
}

}  // namespace bloomery::mariadb
