// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/mariadb/mariadb_row_session.h"

#include <mysqld_error.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>

#include "bloomery/source/mariadb/key_writer.h"

namespace bloomery::mariadb {
namespace {

constexpr std::size_t kMostKeysOfQuestion = 1000;

// Types whose values have several spellings, or none that finds them.
constexpr std::array<std::string_view, 5> kNoKeys{"float", "double", "bit", "geometry", "vector"};

template <class Integer>
bool spells(std::string_view text) noexcept {
  Integer value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && std::to_string(value) == text;
}

// Returns whether an integer column can print the text. The server would take other texts for
// numbers too.
bool is_integer_text(std::string_view text) noexcept {
  return spells<std::int64_t>(text) || spells<std::uint64_t>(text);
}

bool is_no_value(unsigned code) noexcept {
  constexpr unsigned kCannotConvertString = 3854;  // MySQL's alone
  return code == kCannotConvertString || code == ER_INVALID_CHARACTER_STRING ||
         code == ER_CANT_AGGREGATE_2COLLATIONS || code == ER_CANT_AGGREGATE_3COLLATIONS ||
         code == ER_CANT_AGGREGATE_NCOLLATIONS;
}

std::string json_of(Connection& connection, const Table& table) {
  std::string object = "JSON_OBJECT(";
  for (const Column& column : table.columns) {
    const bool is_text = !column.is_binary() && !column.data_type.ends_with("blob") &&
                         column.data_type != "bit" && column.data_type != "geometry" &&
                         column.data_type != "vector";
    if (!is_text) continue;
    if (!object.ends_with('(')) object += ", ";
    object += connection.literal(column.name) + ", t." + quote_name(column.name);
  }
  return object + ")";
}

[[noreturn]] void refuse_as_replica(const Connection& connection) {
  throw StoreError(connection.server().name +
                   " is a replica, whose rows are older than others; ask the primary, or allow "
                   "replicas");
}

// A replica of MySQL is one that has a source, whether it runs or not, or is of a group.
void refuse_replica_of_mysql(Connection& connection, const CallContext& context) {
  const bool is_new = mysql_get_server_version(connection.handle()) >= 80022;
  try {
    const auto sources =
        connection.ask(is_new ? "SHOW REPLICA STATUS" : "SHOW SLAVE STATUS", context);
    if (!sources.empty()) refuse_as_replica(connection);
  } catch (const ServerError& error) {
    if (error.code != ER_SPECIFIC_ACCESS_DENIED_ERROR) throw;
    throw StoreError(connection.server().name +
                     ": does not say whether it is a replica; GRANT REPLICATION CLIENT ON *.* to "
                     "this user, or allow replicas");
  }
  const auto groups = connection.ask(
      "SELECT PLUGIN_NAME FROM information_schema.PLUGINS WHERE PLUGIN_NAME = 'group_replication' "
      "AND PLUGIN_STATUS = 'ACTIVE'",
      context);
  if (!groups.empty()) refuse_as_replica(connection);
}

void refuse_replica(Connection& connection, const CallContext& context) {
  if (!connection.is_mariadb()) return refuse_replica_of_mysql(connection, context);
  const auto running = connection.ask("SHOW GLOBAL STATUS LIKE 'Slave%_running'", context);
  for (const auto& row : running) {
    const std::string value = row[1].value_or("");
    if (value != "0" && value != "OFF") refuse_as_replica(connection);
  }
}

}  // namespace

RowSession::RowSession(const ServerLocation& location, const Options& options,
                       const CallContext& context)
    : connection_(Server(location), context),
      encoding_(options.encoding),
      selection_(location.selection) {
  if (!options.allows_replica) refuse_replica(connection_, context);
  learn_type(context);
  try {
    table_ = describe_table(connection_, location.selection, context);
  } catch (const std::invalid_argument& not_there) {
    throw StoreError(not_there.what());  // it may have been
  }
  const Column& key = table_.key_column();
  if (std::ranges::find(kNoKeys, key.data_type) != kNoKeys.end()) {
    throw StoreError(location.name() + ": " + table_.key_name() + " is " + key.type +
                     ", whose rows cannot be found by a text");
  }
  const std::string name = "t." + quote_name(key.name);
  const std::string value = options.value.empty() ? json_of(connection_, table_) : options.value;
  select_ = "SELECT " + name + ", " + value + " FROM " + table_.quoted() + " AS t WHERE " + name +
            " IN (";
}

RowSession::Rows RowSession::ask(std::span<const Key> keys, const CallContext& context) {
  Rows rows(keys.size());
  Asked asked;
  std::vector<std::pair<std::size_t, std::size_t>> again;  // keys that were there before
  const bool is_integer = table_.key_column().is_integer();
  has_unasked_ = false;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    auto text = key_text(encoding_, keys[i]);
    if (!text) continue;
    if (is_integer && !is_integer_text(*text)) {
      has_unasked_ = true;
      continue;
    }
    const auto [place, is_new] = asked.try_emplace(*std::move(text), i);
    if (!is_new) again.emplace_back(i, place->second);
  }
  std::vector<const Asked::value_type*> some;
  for (const auto& each : asked) {
    some.push_back(&each);
    if (some.size() < kMostKeysOfQuestion) continue;
    ask_some(some, rows, context);
    some.clear();
  }
  if (!some.empty()) ask_some(some, rows, context);
  for (const auto& [i, first] : again) rows[i] = rows[first];
  if (has_unasked_) require_same_type(context);
  return rows;
}

Connection::FieldConsumer RowSession::reader_of(AnsweredType& type) {
  return [&type](const MYSQL_FIELD* fields, unsigned) {
    type = {.type = static_cast<int>(fields[0].type), .character_set = fields[0].charsetnr};
  };
}

// Before the table is described: what is altered in between is noticed by the first answer.
void RowSession::learn_type(const CallContext& context) {
  const std::string& schema =
      selection_.schema.empty() ? connection_.server().database : selection_.schema;
  connection_.ask("SELECT " + quote_name(selection_.columns[0]) + " FROM " + quote_name(schema) +
                      "." + quote_name(selection_.table) + " WHERE FALSE",
                  context, reader_of(answered_));
}

void RowSession::refuse_other_type() {
  is_outdated_ = true;
  throw StoreError(connection_.server().name + ": the column's type changed; ask again");
}

// Throws if the column's type has changed. Keys of the type from when the session began were said
// to have no row without asking.
void RowSession::require_same_type(const CallContext& context) {
  is_outdated_ = true;
  const Table now = describe_table(connection_, selection_, context);
  if (now.key_column().type != table_.key_column().type) refuse_other_type();
  is_outdated_ = false;
}

void RowSession::ask_some(std::span<const Asked::value_type* const> some, Rows& rows,
                          const CallContext& context) {
  std::string sql = select_;
  std::unordered_map<std::string_view, std::size_t> places;
  for (const auto* const each : some) {
    if (!places.empty()) sql += ", ";
    sql += spelled(each->first);
    places.emplace(each->first, each->second);
  }
  std::vector<Connection::Row> found;
  AnsweredType now;
  try {
    found = connection_.ask(sql + ")", context, reader_of(now));
  } catch (const ServerError& error) {
    // One is no text in the server's eyes, or none of the column's character set, so that no row
    // has it. Which of them, it does not say.
    if (!is_no_value(error.code)) throw;
    if (some.size() == 1) {
      connection_.ask(select_ + "NULL)", context);  // throws where it is not the key's fault
      has_unasked_ = true;
      return;
    }
    const std::size_t half = some.size() / 2;
    ask_some(some.first(half), rows, context);
    ask_some(some.subspan(half), rows, context);
    return;
  }
  // How a key is spelled depends on that: a text's bytes are no text to a column that is none.
  if (now != answered_) refuse_other_type();
  const bool is_integer = table_.key_column().is_integer();
  for (auto& row : found) {
    if (!row[0]) continue;
    const std::string_view text =
        is_integer ? without_zerofill(*row[0]) : std::string_view(*row[0]);
    const auto place = places.find(text);
    // A row that is not among the keys equals one by its collation alone.
    if (place != places.end()) rows[place->second] = std::move(row[1]).value_or("");
  }
}

std::string RowSession::spelled(std::string_view text) {
  const Column& key = table_.key_column();
  if (key.is_integer()) return std::string(text);
  if (!key.is_binary() && !key.data_type.ends_with("blob")) return connection_.literal(text);
  return "x'" + hex_text(text) + "'";
}

}  // namespace bloomery::mariadb
