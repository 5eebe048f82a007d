// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/mariadb/column.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>
#include <string_view>

#include "bloomery/source/key_encoding.h"
#include "bloomery/text/ascii.h"
#include "bloomery/text/printable.h"

namespace bloomery::mariadb {
namespace {

constexpr std::size_t kMostNames = 50;

std::string text_of(const std::optional<std::string>& value) {
  return value.value_or("");
}

std::uint32_t number_of(const std::optional<std::string>& value) {
  const std::string text = text_of(value);
  std::uint32_t number = 0;
  // A LONGTEXT's length is beyond: as long as can be.
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc::result_out_of_range ? UINT32_MAX : number;
}

std::string list_of(const std::vector<Connection::Row>& rows) {
  if (rows.empty()) return "none that this user may see";
  std::string list;
  for (std::size_t i = 0; i < std::min(rows.size(), kMostNames); ++i) {
    list += (i > 0 ? ", " : "") + printable(text_of(rows[i][0]));
  }
  return rows.size() > kMostNames ? list + ", ..." : list;
}

// Compares two names of columns as the server does: without regard to case.
bool same_name(std::string_view a, std::string_view b) {
  return ascii_lower(a) == ascii_lower(b);
}

std::string advice_for_text(const Table& table, const KeyForm& form) {
  const std::string& collation = table.key_column().collation;
  const bool pads =
      collation.find("nopad") == std::string::npos && collation.find("_0900_") == std::string::npos;
  const bool tells_letters = collation.ends_with("_bin");
  const bool trims = has(form.normalise, Normalise::trim);
  const std::string is = table.key_name() + " is COLLATE " + collation + ": the database finds ";
  const std::string by = ", and the filter by the same bytes alone";
  if (!tells_letters) {
    const bool lowers = has(form.normalise, Normalise::lower);
    // Accents, and letters beyond ASCII, no normalisation knows.
    const std::string also = pads && !trims ? ", ann, 'Ann '" : ", ann";
    return is + "Ann by ANN" + also + " and mostly by Änn" + by +
           (lowers && (trims || !pads)
                ? "; --normalise covers the letters A to Z and blanks alone"
                : "; --normalise lower,trim covers the letters A to Z and blanks, and " +
                      table.key_column().charset + "_bin in the table all letters");
  }
  if (!pads || trims) return {};
  return is + "Ann by 'Ann ' (PAD SPACE)" + by + ", unless --normalise trim";
}

}  // namespace

bool Column::is_integer() const noexcept {
  constexpr std::array<std::string_view, 5> kIntegers{"tinyint", "smallint", "mediumint", "int",
                                                      "bigint"};
  return std::ranges::find(kIntegers, data_type) != kIntegers.end();
}

Table describe_table(Connection& connection, const ServerSelection& selection,
                     const CallContext& context) {
  const std::string& server = connection.server().name;
  if (selection.columns.size() != 1) {
    throw std::invalid_argument(server +
                                ": a key of several columns wants a query that joins "
                                "them, such as ?query=SELECT CONCAT(a, ',', b) FROM t");
  }
  const std::string schema =
      selection.schema.empty() ? connection.server().database : selection.schema;
  if (schema.empty()) {
    throw std::invalid_argument(server + ": names no database; allowed: " +
                                "mariadb://HOST/DATABASE?table=TABLE&column=COLUMN");
  }
  const std::string where = " WHERE TABLE_SCHEMA = " + connection.literal(schema);
  const auto found = connection.ask(
      "SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE, ENGINE FROM information_schema.TABLES" + where +
          " AND TABLE_NAME = " + connection.literal(selection.table),
      context);
  if (found.empty()) {
    const auto tables = connection.ask(
        "SELECT TABLE_NAME FROM information_schema.TABLES" + where + " ORDER BY 1 LIMIT 51",
        context);
    throw std::invalid_argument(server + ": " + printable(schema) + " has no table " +
                                printable(selection.table) +
                                "; its tables and views: " + list_of(tables));
  }
  Table table{.schema = text_of(found[0][0]),
              .name = text_of(found[0][1]),
              .kind = text_of(found[0][2]),
              .engine = text_of(found[0][3]),
              .columns = {}};
  const auto columns = connection.ask(
      "SELECT COLUMN_NAME, DATA_TYPE, COLUMN_TYPE, CHARACTER_SET_NAME, COLLATION_NAME, EXTRA, "
      "CHARACTER_MAXIMUM_LENGTH, DATETIME_PRECISION FROM information_schema.COLUMNS" +
          where + " AND TABLE_NAME = " + connection.literal(table.name) +
          " ORDER BY ORDINAL_POSITION",
      context);
  for (const auto& row : columns) {
    table.columns.push_back({.name = text_of(row[0]),
                             .data_type = text_of(row[1]),
                             .type = text_of(row[2]),
                             .charset = text_of(row[3]),
                             .collation = text_of(row[4]),
                             .extra = text_of(row[5]),
                             .length = number_of(row[6]),
                             .precision = number_of(row[7])});
  }
  const auto key = std::ranges::find_if(table.columns, [&](const Column& column) {
    return same_name(column.name, selection.columns[0]);
  });
  if (key == table.columns.end()) {
    throw std::invalid_argument(server + ": table " + printable(table.name) + " has no column " +
                                printable(selection.columns[0]) +
                                "; its columns: " + list_of(columns));
  }
  table.key = static_cast<std::size_t>(key - table.columns.begin());
  return table;
}

std::string unequal_bytes_advice(const Table& table, const KeyForm& form) {
  const Column& column = table.key_column();
  if (!column.charset.empty()) return advice_for_text(table, form);
  if (column.is_binary()) return {};
  if (has(form.normalise, Normalise::integer) || reads_integers(form.encoding)) return {};
  const std::string is = table.key_name() + " is " + column.type + ": the database finds ";
  if (column.is_integer()) {
    return is +
           "7 by '007', 7.0 and '7x' too, and the filter by 7 alone, unless --normalise "
           "integer; and in a query, 'abc' stands for 0";
  }
  if (column.data_type.ends_with("blob")) return {};
  return is + "a value by several spellings, and the filter by the one that it prints alone";
}

}  // namespace bloomery::mariadb
