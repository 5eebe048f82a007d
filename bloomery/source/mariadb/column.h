// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bloomery/place/call_context.h"
#include "bloomery/source/mariadb/mariadb_connection.h"
#include "bloomery/text/key_form.h"

namespace bloomery::mariadb {

// A column of a table, as information_schema describes it.
struct Column {
  std::string name;
  std::string data_type;  // "varchar"
  std::string type;       // "varchar(50)"
  std::string charset{};  // empty for what is no text
  std::string collation{};
  std::string extra{};
  std::uint32_t length = 0;     // of texts, in characters
  std::uint32_t precision = 0;  // of times, digits behind the second

  bool is_unsigned() const noexcept { return type.find("unsigned") != std::string::npos; }
  bool is_integer() const noexcept;
  bool is_binary() const noexcept { return data_type == "binary" || data_type == "varbinary"; }
};

struct Table {
  std::string schema;
  std::string name;
  std::string kind;    // "BASE TABLE"
  std::string engine;  // empty for a view
  std::vector<Column> columns;
  std::size_t key = 0;  // which of them the keys come from

  const Column& key_column() const { return columns[key]; }
  std::string quoted() const { return quote_name(schema) + "." + quote_name(name); }
  // Returns schema.name.column, for messages.
  std::string key_name() const { return schema + "." + name + "." + key_column().name; }
};

// Throws std::invalid_argument, with the names that there are, where there is no such table or
// column.
Table describe_table(Connection& connection, const ServerSelection& selection,
                     const CallContext& context);

// Returns a sentence where the column calls equal what these keys' bytes tell apart; else nothing.
std::string unequal_bytes_advice(const Table& table, const KeyForm& form);

}  // namespace bloomery::mariadb
