// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/postgres/postgres_row_session.h"

#include <array>
#include <cstdint>
#include <stdexcept>

#include "bloomery/errors.h"
#include "bloomery/source/key_encoding.h"
#include "bloomery/source/postgres/selected_table.h"
#include "bloomery/source/sql_quotes.h"

namespace bloomery::postgres {
namespace {

// Errors of a value that is none of its type, or of a text that is no UTF-8.
bool is_of_a_value(std::string_view sql_state) {
  return sql_state.starts_with("22");
}

SelectedTable table_that_was_there(Connection& connection, const ServerSelection& selection,
                                   const CallContext& context) {
  try {
    return find_table(connection, selection, context);
  } catch (const std::invalid_argument& not_there) {
    throw StoreError(not_there.what());  // it may have been
  }
}

// Through domains only where there is one: that is a third of what the server does for a question.
std::string select_type_now(const SelectedTable& table) {
  const std::string relation = "to_regclass(" + in_sql_quotes(table.from(), '\'') + ")";
  const std::string column = in_sql_quotes(table.column, '\'');
  if (table.is_of_domain) return select_type(relation, column);
  return "SELECT atttypid FROM pg_attribute WHERE attrelid = " + relation +
         " AND attname = " + column;
}

}  // namespace

RowSession::RowSession(const ServerLocation& location, const std::string& value,
                       KeyEncoding encoding, const CallContext& context)
    : connection_(location, Connection::Kind::queries, context), encoding_(encoding) {
  connection_.end_with_asker(context);
  if (connection_.query("SELECT pg_is_in_recovery()", context).at(0, 0) == "t") refuse_standby();
  const SelectedTable table = table_that_was_there(connection_, location.selection, context);
  is_bytea_ = table.type.oid == kByteaOid;
  // Not as it was declared: a varchar(9) would cut what is longer, and find another's row.
  const Result type = connection_.query(
      "SELECT format('%I.%I', n.nspname, t.typname) FROM pg_type t "
      "JOIN pg_namespace n ON n.oid = t.typnamespace WHERE t.oid = $1::oid",
      {std::to_string(table.type.oid)}, context);
  if (type.rows() != 1) throw StoreError(connection_.name() + ": the column has no type");
  const std::string array = "$1::" + type.text(0, 0) + "[]";
  // With a row that no key has: whatever stands between may have another server asked by now, and
  // the column another type, of which the keys would not be values.
  of_a_primary_ = "false " + std::to_string(table.type.oid);
  look_.emplace(connection_,
                "SELECT k.i, v.value FROM unnest(" + array +
                    ") WITH ORDINALITY AS k(key, i) JOIN LATERAL (SELECT (" + value +
                    ")::text AS value FROM " + table.from() + " AS t WHERE t." +
                    quoted_name(table.column) +
                    " = k.key LIMIT 1) AS v ON true UNION ALL SELECT 0, pg_is_in_recovery()::text "
                    "|| ' ' || coalesce((" +
                    select_type_now(table) + ")::text, 'none')",
                context);
  cast_.emplace(connection_, "SELECT cardinality(" + array + ")", context);
}

RowSession::Rows RowSession::ask(std::span<const Key> keys, const CallContext& context) {
  Rows rows(keys.size());
  Places places;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (text_of(keys[i])) places.push_back(i);
  }
  if (places.empty()) return rows;
  Result found = look(*look_, keys, places, context);
  if (is_of_a_value(found.sql_state())) {
    // Perhaps of a key; then it has no row. Or else of the row's own value, which is an error.
    // Asked again even without keys, as the answer says whether they were tried by the right type.
    places = castable(keys, places, context);
    found = look(*look_, keys, places, context);
  }
  if (!found.sql_state().empty()) {
    is_outdated_ = true;
    connection_.refuse(found, "the rows cannot be had");
  }
  bool is_of_a_primary = false;
  for (int row = 0; row < found.rows(); ++row) {
    const std::uint64_t at = found.number(row, 0);
    if (at == 0) {
      require_as_it_began(found.at(row, 1));
      is_of_a_primary = true;
      continue;
    }
    if (at > places.size()) throw StoreError(connection_.name() + ": a row of no key");
    rows[places[at - 1]] = found.text(row, 1);
  }
  if (!is_of_a_primary) throw StoreError(connection_.name() + ": says nothing of itself");
  return rows;
}

void RowSession::require_as_it_began(std::string_view said) {
  if (said == of_a_primary_) return;
  is_outdated_ = true;
  if (!said.starts_with("false ")) refuse_standby();
  throw StoreError(connection_.name() + ": the column's type changed; ask again");
}

void RowSession::refuse_standby() const {
  throw StoreError(connection_.name() +
                   ": the server is a standby, whose rows are older than others; allowed: the "
                   "primary");
}

std::optional<std::string> RowSession::text_of(Key key) const {
  auto text = key_text(encoding_, key);
  if (!text || encoding_ != KeyEncoding::text) return text;
  if (is_bytea_) return "\\x" + hex_text(key);
  if (key.find('\0') != Key::npos) return std::nullopt;
  return text;
}

Result RowSession::look(PreparedStatement& statement, std::span<const Key> keys,
                        std::span<const std::size_t> places, const CallContext& context) {
  std::string array = "{";
  for (const std::size_t place : places) {
    array += array.size() > 1 ? ",\"" : "\"";
    const std::string text = text_of(keys[place]).value();
    for (const char c : text) {
      if (c == '"' || c == '\\') array += '\\';
      array += c;
    }
    array += '"';
  }
  array += '}';
  return statement.try_run(connection_, std::array{array.c_str()}, context);
}

// Finds, by halving, the keys that the server can convert to the column's type.
RowSession::Places RowSession::castable(std::span<const Key> keys,
                                        std::span<const std::size_t> places,
                                        const CallContext& context) {
  const Result tried = look(*cast_, keys, places, context);
  if (tried.sql_state().empty()) return {places.begin(), places.end()};
  if (!is_of_a_value(tried.sql_state())) connection_.refuse(tried, "the keys cannot be asked");
  if (places.size() == 1) return {};
  const std::size_t half = places.size() / 2;
  Places all = castable(keys, places.first(half), context);
  const Places rest = castable(keys, places.subspan(half), context);
  all.insert(all.end(), rest.begin(), rest.end());
  return all;
}

}  // namespace bloomery::postgres
