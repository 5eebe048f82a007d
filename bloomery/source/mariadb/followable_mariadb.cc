// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/mariadb/followable_mariadb.h"

#include <stdexcept>
#include <string>
#include <string_view>

#include <mysqld_error.h>

#include "bloomery/errors.h"
#include "bloomery/source/mariadb/logged_key.h"
#include "bloomery/text/ascii.h"

namespace bloomery::mariadb {
namespace {

// The statement that makes the table, which names its foreign keys. It needs SELECT on the whole
// table; information_schema shows foreign keys only to users who may write.
std::string show_table(Connection& connection, const Table& table, const CallContext& context) {
  try {
    connection.ask("SET SESSION sql_quote_show_create=1", context);
    const auto rows = connection.ask("SHOW CREATE TABLE " + table.quoted(), context);
    if (rows.size() == 1 && rows[0].size() >= 2 && rows[0][1]) return *rows[0][1];
  } catch (const ServerError& error) {
    const bool is_denied =
        error.code == ER_TABLEACCESS_DENIED_ERROR || error.code == ER_COLUMNACCESS_DENIED_ERROR;
    if (!is_denied) throw;
    throw std::invalid_argument(
        std::string(error.what()) +
        "; to follow a column needs the right SELECT on its whole table, of which SHOW CREATE "
        "TABLE tells whether its rows change with another's");
  }
  throw StoreError(connection.server().name + ": does not say how " + table.key_name() +
                   " was made");
}

// Rows of a referencing table change with the rows that they reference, inside of InnoDB: the log
// does not say so.
void check_cascades(Connection& connection, const Table& table, const CallContext& context) {
  constexpr std::string_view kForeign = "FOREIGN KEY (";
  const std::string made = ascii_lower(show_table(connection, table, context));
  const std::string foreign = ascii_lower(kForeign);
  const std::string key = ascii_lower(quote_name(table.key_column().name));
  for (std::size_t at = made.find(foreign); at != made.npos;) {
    const std::size_t next = made.find(foreign, at + 1);
    const std::string_view clause = std::string_view(made).substr(at, next - at);
    at = next;
    const std::string_view columns = clause.substr(0, clause.rfind(" references "));
    const bool changes = clause.find("on update cascade") != clause.npos ||
                         clause.find("on update set default") != clause.npos;
    if (!changes || columns.find(key) == columns.npos) continue;
    throw std::invalid_argument(
        connection.server().name + ": " + table.key_name() +
        " changes with another table (ON UPDATE CASCADE), and the log does not show such rows; "
        "declare it ON UPDATE RESTRICT");
  }
}

// Small images leave out keys that are defaults, or stay as they are. A session may set its own:
// its rows stop the stream.
void check_row_image(Connection& connection, const Column& key, const CallContext& context) {
  const auto image = connection.ask_one("SELECT @@global.binlog_row_image", context);
  const bool is_blob = key.data_type.ends_with("text") || key.data_type.ends_with("blob");
  if (image == "FULL" || (image == "NOBLOB" && !is_blob)) return;
  throw std::invalid_argument(connection.server().name + ": has binlog_row_image=" + image +
                              ", with which rows are logged without their keys; SET GLOBAL "
                              "binlog_row_image=FULL");
}

}  // namespace

void require_whole_log(Connection& connection, const CallContext& context) {
  const auto format = connection.ask_one("SELECT @@global.binlog_format", context);
  if (format != "ROW") {
    throw std::invalid_argument(connection.server().name + ": has binlog_format=" + format +
                                ", with which rows are not logged; SET GLOBAL binlog_format=ROW");
  }
  const auto status = connection.ask("SHOW MASTER STATUS", context);
  const bool has_filters =
      !status.empty() && status[0].size() >= 4 &&
      (!status[0][2].value_or("").empty() || !status[0][3].value_or("").empty());
  if (!has_filters) return;
  throw std::invalid_argument(
      connection.server().name +
      ": leaves databases out of its log (binlog_do_db, binlog_ignore_db), and with them "
      "definitions of any table; remove these settings");
}

void require_followable(Connection& connection, const Table& table, const CallContext& context) {
  const std::string problem = logged_key_problem(table.key_column());
  if (!problem.empty()) {
    throw std::invalid_argument(connection.server().name + ": " + table.key_name() + " " + problem);
  }
  check_row_image(connection, table.key_column(), context);
  check_cascades(connection, table, context);
}

}  // namespace bloomery::mariadb
