// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/mariadb/drawn_rows.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "bloomery/errors.h"
#include "bloomery/source/mariadb/key_writer.h"

namespace bloomery::mariadb {
namespace {

const Column* first_of_primary_key(Connection& connection, const Table& table,
                                   const CallContext& context) {
  const auto named = connection.ask(
      "SELECT COLUMN_NAME FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = " +
          connection.literal(table.schema) + " AND TABLE_NAME = " + connection.literal(table.name) +
          " AND INDEX_NAME = 'PRIMARY' AND SEQ_IN_INDEX = 1",
      context);
  if (named.empty()) return nullptr;
  const auto found = std::ranges::find(table.columns, named[0][0].value_or(""), &Column::name);
  return found == table.columns.end() ? nullptr : &*found;
}

// A negative number as two's complement has it, so that differences are right for both.
std::uint64_t number_in(const Connection& connection, std::string_view text, bool is_unsigned) {
  std::uint64_t number = 0;
  std::int64_t signed_number = 0;
  const char* const end = text.data() + text.size();
  const auto read = is_unsigned ? std::from_chars(text.data(), end, number)
                                : std::from_chars(text.data(), end, signed_number);
  if (read.ec != std::errc() || read.ptr != end) {
    throw StoreError(connection.server().name + ": does not say which numbers its rows have");
  }
  return is_unsigned ? number : static_cast<std::uint64_t>(signed_number);
}

}  // namespace

std::optional<std::vector<std::string>> draw_keys(Connection& connection, const Table& table,
                                                  const KeyForm& form, std::size_t count,
                                                  std::minstd_rand& random,
                                                  const CallContext& context) {
  const Column* const primary = first_of_primary_key(connection, table, context);
  if (primary == nullptr || !primary->is_integer()) return std::nullopt;
  const std::string number = quote_name(primary->name);
  const std::string from = " FROM " + table.quoted();
  const auto edges =
      connection.ask("SELECT MIN(" + number + "), MAX(" + number + ")" + from, context);
  if (edges.size() != 1 || !edges[0][0] || !edges[0][1]) return std::vector<std::string>{};
  const std::uint64_t first = number_in(connection, *edges[0][0], primary->is_unsigned());
  const std::uint64_t last = number_in(connection, *edges[0][1], primary->is_unsigned());

  std::uniform_int_distribution<std::uint64_t> beyond_first(0, last - first);
  std::string question;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t at = first + beyond_first(random);
    question += (i == 0 ? "(SELECT " : " UNION ALL (SELECT ") +
                quote_name(table.key_column().name) + from + " FORCE INDEX (PRIMARY) WHERE " +
                number + " >= " +
                (primary->is_unsigned() ? std::to_string(at)
                                        : std::to_string(static_cast<std::int64_t>(at))) +
                " ORDER BY " + number + " LIMIT 1)";
  }
  KeyWriter writer(form);
  std::vector<std::string> keys;
  for (const auto& row : connection.ask(question, context)) {
    if (!row[0]) continue;
    const bool is_integer = table.key_column().is_integer();
    const std::string_view text = is_integer ? without_zerofill(*row[0]) : *row[0];
    std::string key(writer.byte_limit(text.size()), '\0');
    key.resize(writer.write(text, key.data()));
    keys.push_back(std::move(key));
  }
  return keys;
}

}  // namespace bloomery::mariadb
