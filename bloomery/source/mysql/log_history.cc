// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/mysql/log_history.h"

#include <mysqld_error.h>

#include <map>
#include <stdexcept>
#include <string_view>

#include "bloomery/errors.h"
#include "bloomery/place/fence_source.h"
#include "bloomery/source/mariadb/history.h"
#include "bloomery/source/mariadb/log_place.h"
#include "bloomery/source/source_identity.h"

namespace bloomery::mysql {
namespace {

using mariadb::Connection;
using mariadb::ServerError;
using mariadb::Table;
using Variables = std::map<std::string, std::string, std::less<>>;

constexpr unsigned long kFirstVersion = 80022;    // whose variables have the names asked for
constexpr unsigned long kStatusOfBinary = 80200;  // SHOW BINARY LOG STATUS

[[noreturn]] void refuse(Connection& connection, const std::string& why) {
  throw std::invalid_argument(connection.server().name + ": " + why);
}

bool is_denial(unsigned code) noexcept {
  return code == ER_SPECIFIC_ACCESS_DENIED_ERROR || code == ER_TABLEACCESS_DENIED_ERROR ||
         code == ER_COLUMNACCESS_DENIED_ERROR || code == ER_DBACCESS_DENIED_ERROR;
}

Variables read_variables(Connection& connection, const CallContext& context) {
  Variables variables;
  const auto rows = connection.ask(
      "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('server_uuid', 'log_bin', "
      "'log_bin_basename', 'log_replica_updates', 'log_slave_updates', 'binlog_error_action', "
      "'aurora_version', 'wsrep_on')",
      context);
  for (const auto& row : rows) variables[row[0].value_or("")] = row[1].value_or("");
  return variables;
}

void check_server(Connection& connection, const Variables& variables, const CallContext& context) {
  const auto is = [&](std::string_view name, std::string_view value) {
    const auto found = variables.find(name);
    return found != variables.end() && found->second == value;
  };
  if (mariadb::mysql_get_server_version(connection.handle()) < kFirstVersion) {
    refuse(connection, std::string("is version ") +
                           mariadb::mysql_get_server_info(connection.handle()) +
                           "; followed are MySQL 8.0.22 and later");
  }
  if (variables.contains("aurora_version")) {
    refuse(connection, "is Aurora, whose log nobody has tried to follow");
  }
  if (is("wsrep_on", "ON")) {
    refuse(connection, "is a node of a Galera cluster, which nobody has tried to follow");
  }
  const auto groups = connection.ask(
      "SELECT PLUGIN_NAME FROM information_schema.PLUGINS WHERE PLUGIN_NAME = 'group_replication' "
      "AND PLUGIN_STATUS = 'ACTIVE'",
      context);
  if (!groups.empty()) {
    refuse(connection, "has Group Replication, which nobody has tried to follow");
  }
  if (!is("log_bin", "ON")) {
    refuse(connection, "has no binary log; start the server with --log-bin");
  }
  if (!is("binlog_error_action", "ABORT_SERVER")) {
    refuse(connection,
           "has binlog_error_action=IGNORE_ERROR, with which rows are kept that could not be "
           "logged; SET GLOBAL binlog_error_action=ABORT_SERVER");
  }
  if (!is("log_replica_updates", "ON") && !is("log_slave_updates", "ON")) {
    refuse(connection,
           "has log_replica_updates=OFF, so that what it replicates comes without its log; start "
           "it with --log-replica-updates=ON");
  }
}

void check_table(Connection& connection, const Table& table) {
  if (table.kind != "BASE TABLE") {
    refuse(connection,
           table.schema + "." + table.name + " is a " + table.kind + "; followed are base tables");
  }
  if (table.engine == "InnoDB") return;
  refuse(connection, table.schema + "." + table.name + " is of the engine " + table.engine +
                         ", whose rows can be seen before they are logged; followed are tables of "
                         "InnoDB");
}

// The view performance_schema.global_status has no statements.
std::string count_resets(Connection& connection, const CallContext& context) {
  const auto rows = connection.ask("SHOW GLOBAL STATUS LIKE 'Com_reset'", context);
  if (rows.size() == 1 && rows[0].size() == 2 && rows[0][1]) return *rows[0][1];
  throw StoreError(connection.server().name + ": does not say how often its log was reset");
}

}  // namespace

std::uint64_t position_of(const mariadb::LogFile& file, std::uint64_t offset) {
  if (file.number >> mariadb::LogPosition::kFileBits != 0 ||
      offset >> mariadb::kLogOffsetBits != 0) {
    throw SourceChanged("the binary log is at " + file.name() + ", " + std::to_string(offset) +
                        "; allowed: files below 2^20, and offsets below 2^44");
  }
  return mariadb::log_place(file.number, offset);
}

std::string grant(Connection& connection, const std::string& rights, const CallContext& context) {
  const std::string user = connection.ask_one("SELECT CURRENT_USER()", context);
  const std::size_t at = user.rfind('@');
  return "GRANT " + rights + " TO " + connection.literal(user.substr(0, at)) +
         (at == user.npos ? "" : "@" + connection.literal(user.substr(at + 1)));
}

Connection::Row log_status(Connection& connection, const CallContext& context) {
  const bool is_new = mariadb::mysql_get_server_version(connection.handle()) >= kStatusOfBinary;
  try {
    auto rows = connection.ask(is_new ? "SHOW BINARY LOG STATUS" : "SHOW MASTER STATUS", context);
    if (rows.size() == 1 && rows[0].size() >= 4 && rows[0][0] && rows[0][1]) {
      return std::move(rows[0]);
    }
  } catch (const ServerError& error) {
    if (!is_denial(error.code)) throw;
    refuse(connection, "may not be asked where its log ends; " +
                           grant(connection, "REPLICATION CLIENT ON *.*", context));
  }
  refuse(connection, "has no binary log any more");
}

std::optional<LogPoint> visible_point(Connection& connection, const CallContext& context) {
  try {
    const auto rows = connection.ask(
        "SELECT JSON_UNQUOTE(JSON_EXTRACT(LOCAL, '$.binary_log_file')), "
        "JSON_UNQUOTE(JSON_EXTRACT(LOCAL, '$.binary_log_position')) FROM "
        "performance_schema.log_status",
        context);
    if (rows.size() != 1 || !rows[0][0] || !rows[0][1]) {
      throw StoreError(connection.server().name + ": does not say where its log stands");
    }
    return LogPoint{mariadb::LogFile(*rows[0][0]), mariadb::offset_in(connection, *rows[0][1])};
  } catch (const ServerError& error) {
    if (is_denial(error.code)) return std::nullopt;
    throw;
  }
}

LogHistory::LogHistory(Connection& connection, const Table& table, const CallContext& context) {
  check_table(connection, table);
  const Variables variables = read_variables(connection, context);
  check_server(connection, variables, context);
  for (const char* const part : {"server_uuid", "log_bin_basename"}) {
    const auto found = variables.find(part);
    server_ += (found == variables.end() ? "" : found->second) + "\n";
  }
  server_ += table.key_name();
  question_ =
      "SELECT @bloomery_run, @@global.binlog_error_action = 'ABORT_SERVER', EXISTS(SELECT " +
      mariadb::quote_name(table.key_column().name) + " FROM " + table.quoted() + " WHERE FALSE)";
  mariadb::server_run(connection, context);
  log_status(connection, context);
  resets_ = count_resets(connection, context);
}

LogHistory::Now LogHistory::ask(Connection& connection, const CallContext& context) const {
  try {
    const auto status = log_status(connection, context);
    // Afterwards, so that an end of the log before a RESET is none of the source behind it.
    const std::string resets = count_resets(connection, context);
    const auto rows = connection.ask(question_, context);
    if (rows.size() != 1 || rows[0].size() != 3) {
      throw StoreError(connection.server().name + ": no answer about its binary log");
    }
    const auto& row = rows[0];
    if (!row[0]) {
      throw mariadb::SessionExchanged(
          connection.server().name +
          ": its session was exchanged for another by what stands between");
    }
    if (row[1] != "1") {
      throw StoreError(connection.server().name +
                       ": has binlog_error_action=IGNORE_ERROR now; SET GLOBAL "
                       "binlog_error_action=ABORT_SERVER");
    }
    return {identity_of({"mysql", server_, *row[0], resets}),
            {mariadb::LogFile(*status[0]), mariadb::offset_in(connection, *status[1])}};
  } catch (const ServerError& error) {
    const bool is_gone = error.code == ER_NO_SUCH_TABLE || error.code == ER_BAD_FIELD_ERROR ||
                         error.code == ER_BAD_DB_ERROR;
    if (is_gone) throw SourceChanged(error.what());
    throw;
  }
}

bool LogHistory::was_reset(Connection& connection, const CallContext& context) const {
  return count_resets(connection, context) != resets_;
}

}  // namespace bloomery::mysql
