// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "bloomery/source/postgres/postgres_connection.h"
#include "bloomery/source/postgres/text_equality.h"

namespace bloomery::postgres {

// The table and column that a location names, as the server knows them now.
struct SelectedTable {
  std::string oid{};
  std::string schema{};
  std::string table{};
  std::string column{};
  char kind = 'r';         // as pg_class has it: r table, p partitioned, v view, m, f
  char persistence = 'p';  // p kept, u unlogged, t temporary
  std::string attnum{};
  bool is_generated = false;
  bool is_of_domain = false;  // whose type this is
  ColumnType type{};

  std::string from() const { return quoted_name(schema) + "." + quoted_name(table); }
  // The query that selects all keys of the table.
  std::string select() const { return "SELECT " + quoted_name(column) + " FROM " + from(); }
};

// The query for the oid of a column's type; `relation` and `column` are SQL. A domain counts as the
// type that it is made of.
std::string select_type(const std::string& relation, const std::string& column);

// Throws std::invalid_argument, with the names that do exist, where one of them does not.
SelectedTable find_table(Connection& connection, const ServerSelection& selection,
                         const CallContext& context);

// The type of the one column of a query, whose text is cut to what may stand within another
// statement. Throws std::invalid_argument where it is no SELECT of one column.
ColumnType check_query(Connection& connection, std::string& query, const CallContext& context);

}  // namespace bloomery::postgres
