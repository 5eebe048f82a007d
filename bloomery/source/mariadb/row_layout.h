// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/source/mariadb/byte_cursor.h"

namespace bloomery::mariadb {

// How a table's rows stand in the binary log, until the end of the transaction that says so.
struct RowLayout {
  struct Field {
    std::uint8_t type = 0;        // MYSQL_TYPE_..., of what is stored
    std::uint16_t parameter = 0;  // what it means depends on the type
  };

  std::string schema;
  std::string table;
  std::vector<Field> fields;
};

struct TableMap {
  std::uint64_t id = 0;
  RowLayout layout;
  bool has_unknown_type = false;  // then the parameters of its fields may be another's
};
TableMap read_table_map(std::string_view body);

// Takes a field's bytes off the cursor, as they are stored: texts without their length.
std::string_view take_field(const RowLayout::Field& field, ByteCursor& row);

// One field of a row: not logged, NULL, or its bytes.
struct LoggedField {
  bool is_logged = false;
  std::optional<std::string_view> bytes{};
};

// Takes a row off the cursor of which the fields in `logged` are there; gives the one that is
// asked for.
LoggedField take_row(const RowLayout& layout, std::string_view logged, std::size_t wanted,
                     ByteCursor& rows);

}  // namespace bloomery::mariadb
