// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/mysql/followable_mysql.h"

#include <mysqld_error.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "bloomery/errors.h"
#include "bloomery/source/mariadb/followable_mariadb.h"
#include "bloomery/source/mysql/log_history.h"

namespace bloomery::mysql {
namespace {

using mariadb::Connection;
using mariadb::ServerError;
using mariadb::Table;

constexpr unsigned kXaDenied = ER_XAER_RMERR;  // as XA RECOVER answers who lacks the right

[[noreturn]] void refuse(Connection& connection, const std::string& why) {
  throw std::invalid_argument(connection.server().name + ": " + why);
}

void check_log(Connection& connection, const Table& table, const CallContext& context) {
  const auto settings =
      connection.ask("SELECT @@global.binlog_format, @@global.binlog_row_value_options", context);
  if (settings.size() != 1 || settings[0].size() != 2) {
    throw StoreError(connection.server().name + ": does not say how it writes its log");
  }
  const std::string format = settings[0][0].value_or("");
  if (format != "ROW") {
    refuse(connection, "has binlog_format=" + format +
                           ", with which rows are not logged; SET GLOBAL binlog_format=ROW");
  }
  const bool has_json =
      std::ranges::find(table.columns, "json", &mariadb::Column::data_type) != table.columns.end();
  if (has_json && !settings[0][1].value_or("").empty()) {
    refuse(connection, "has binlog_row_value_options=" + *settings[0][1] +
                           ", with which rows are logged in part; SET GLOBAL "
                           "binlog_row_value_options=''");
  }
  const auto status = log_status(connection, context);
  if (!status[2].value_or("").empty() || !status[3].value_or("").empty()) {
    refuse(connection,
           "leaves databases out of its log (binlog_do_db, binlog_ignore_db), and with them "
           "definitions of any table; remove these settings");
  }
}

// Sessions that do not log what they write, where the user may look into others.
void check_sessions(Connection& connection, const CallContext& context) {
  try {
    const auto silent = connection.ask(
        "SELECT COUNT(*) FROM performance_schema.variables_by_thread WHERE VARIABLE_NAME = "
        "'sql_log_bin' AND VARIABLE_VALUE = 'OFF'",
        context);
    if (silent.empty() || silent[0][0] == "0") return;
    refuse(connection, silent[0][0].value_or("some") +
                           " of its sessions have sql_log_bin=0, so that what they write is not "
                           "logged; end them");
  } catch (const ServerError& error) {
    if (error.code != ER_TABLEACCESS_DENIED_ERROR) throw;
  }
}

// A key of an expression has a hidden column in the log.
void check_hidden_columns(Connection& connection, const Table& table, const CallContext& context) {
  const auto hidden = connection.ask(
      "SELECT INDEX_NAME FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = " +
          connection.literal(table.schema) + " AND TABLE_NAME = " + connection.literal(table.name) +
          " AND EXPRESSION IS NOT NULL LIMIT 1",
      context);
  if (hidden.empty()) return;
  refuse(connection, "the index " + hidden[0][0].value_or("") + " of " + table.schema + "." +
                         table.name +
                         " is one of an expression, whose hidden column makes rows in the log "
                         "unlike the table; make it a generated column");
}

}  // namespace

void require_followable(Connection& connection, const Table& table, const CallContext& context) {
  check_log(connection, table, context);
  check_sessions(connection, context);
  check_hidden_columns(connection, table, context);
  mariadb::require_followable(connection, table, context);
}

void require_none_prepared(Connection& connection, const CallContext& context) {
  try {
    if (connection.ask("XA RECOVER", context).empty()) return;
  } catch (const ServerError& error) {
    if (error.code != kXaDenied && error.code != ER_SPECIFIC_ACCESS_DENIED_ERROR) throw;
    refuse(connection, "may not be asked which transactions are prepared (XA); " +
                           grant(connection, "XA_RECOVER_ADMIN ON *.*", context));
  }
  refuse(connection,
         "has prepared transactions (XA RECOVER), whose rows stand in the log and are not seen; "
         "commit them or roll them back");
}

}  // namespace bloomery::mysql
