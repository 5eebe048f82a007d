// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/postgres/selected_table.h"

#include <stdexcept>

#include "bloomery/errors.h"
#include "bloomery/text/printable.h"

namespace bloomery::postgres {
namespace {

constexpr const char* kFindTable = R"(
SELECT c.oid, n.nspname, c.relname, c.relkind, c.relpersistence
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.oid = to_regclass($1) AND c.relkind IN ('r', 'p', 'v', 'm', 'f'))";

constexpr const char* kTables = R"(
SELECT CASE WHEN pg_table_is_visible(c.oid) THEN c.relname ELSE n.nspname || '.' || c.relname END
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
  AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
ORDER BY 1 LIMIT 51)";

constexpr const char* kColumns = R"(
SELECT attname FROM pg_attribute
WHERE attrelid = $1::oid AND attnum > 0 AND NOT attisdropped ORDER BY attnum LIMIT 51)";

std::string names_in(const Result& rows) {
  constexpr int kMostNames = 50;
  if (rows.rows() == 0) return "none";
  std::string list;
  for (int row = 0; row < rows.rows() && row < kMostNames; ++row) {
    list += (row > 0 ? ", " : "") + printable(rows.at(row, 0));
  }
  return list + (rows.rows() > kMostNames ? ", ..." : "");
}

bool is_true(std::string_view text) {
  return text == "t";
}

ColumnType type_of(const std::string& name, const Result& found, int from) {
  return {.name = name,
          .oid = static_cast<std::uint32_t>(found.number(0, from)),
          .type = found.text(0, from + 1),
          .is_built_in = is_true(found.at(0, from + 2)),
          .collation = found.text(0, from + 3),
          .is_deterministic = is_true(found.at(0, from + 4))};
}

// A column of a table, by oid and name.
std::string find_column() {
  return "SELECT a.attnum, a.attgenerated <> '', a.atttypid <> t.oid, t.oid, t.typname, "
         "t.oid < 16384, co.collname, coalesce(co.collisdeterministic, true) "
         "FROM pg_attribute a JOIN pg_type t ON t.oid = (" +
         select_type("$1::oid", "$2") +
         ") LEFT JOIN pg_collation co ON co.oid = a.attcollation "
         "WHERE a.attrelid = $1::oid AND a.attname = $2 AND a.attnum > 0 AND NOT a.attisdropped";
}

}  // namespace

std::string select_type(const std::string& relation, const std::string& column) {
  return "WITH RECURSIVE base AS ("
         "SELECT t.oid, t.typtype, t.typbasetype "
         "FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid WHERE a.attrelid = " +
         relation + " AND a.attname = " + column +
         " AND a.attnum > 0 AND NOT a.attisdropped UNION ALL "
         "SELECT t.oid, t.typtype, t.typbasetype "
         "FROM base b JOIN pg_type t ON t.oid = b.typbasetype WHERE b.typtype = 'd') "
         "SELECT oid FROM base WHERE typtype <> 'd'";
}

SelectedTable find_table(Connection& connection, const ServerSelection& selection,
                         const CallContext& context) {
  const auto& [schema, name, columns, query] = selection;
  if (columns.size() != 1) {
    throw std::invalid_argument(connection.name() +
                                ": a key is one column; for several, a query makes one text of "
                                "them: ?query=SELECT a || ':' || b FROM t");
  }
  const std::string quoted = (schema.empty() ? "" : quoted_name(schema) + ".") + quoted_name(name);
  const Result table = connection.query(kFindTable, {quoted}, context);
  if (table.rows() == 0) {
    throw std::invalid_argument(
        connection.name() + ": has no table " +
        printable(schema.empty() ? name : schema + "." + name) +
        "; its tables and views: " + names_in(connection.query(kTables, context)));
  }
  SelectedTable found{.oid = table.text(0, 0),
                      .schema = table.text(0, 1),
                      .table = table.text(0, 2),
                      .column = columns.front(),
                      .kind = table.text(0, 3).at(0),
                      .persistence = table.text(0, 4).at(0)};
  const Result column = connection.query(find_column(), {found.oid, found.column}, context);
  if (column.rows() == 0) {
    throw std::invalid_argument(connection.name() + ": table " + printable(found.table) +
                                " has no column " + printable(found.column) + "; its columns: " +
                                names_in(connection.query(kColumns, {found.oid}, context)));
  }
  found.attnum = column.text(0, 0);
  found.is_generated = is_true(column.at(0, 1));
  found.is_of_domain = is_true(column.at(0, 2));
  found.type = type_of(found.table + "." + found.column, column, 3);
  return found;
}

ColumnType check_query(Connection& connection, std::string& query, const CallContext& context) {
  const auto refuse = [&](const std::string& why) {
    throw std::invalid_argument(connection.name() + ": the query " + printable(query) + " " + why +
                                "; allowed: one SELECT of one column");
  };
  // The server takes only one statement so, and understands it on its own before it becomes part of
  // ours.
  try {
    connection.prepare("bloomery_query", query, context);
  } catch (const StoreError& wrong) {
    if (!connection.is_open()) throw;
    throw std::invalid_argument(std::string(wrong.what()) + " in the query " + printable(query));
  }
  if (PQsendDescribePrepared(connection.handle(), "bloomery_query") == 0) {
    connection.fail("cannot ask");
  }
  Result described;
  while (Result next = connection.next_result(context)) described = std::move(next);
  if (!described || PQresultStatus(described.get()) != PGRES_COMMAND_OK) {
    refuse("is not understood");
  }
  const int column_count = PQnfields(described.get());
  if (column_count == 0) refuse("is no SELECT");
  if (column_count != 1) refuse("selects " + std::to_string(column_count) + " columns");
  if (PQnparams(described.get()) != 0) refuse("has parameters");
  query.resize(query.find_last_not_of("; \t\r\n") + 1);
  // Nothing else is known of a query's column.
  return {.name = {}, .oid = PQftype(described.get(), 0), .type = {}, .collation = {}};
}

}  // namespace bloomery::postgres
