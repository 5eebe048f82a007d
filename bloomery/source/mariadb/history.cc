#include "bloomery/source/mariadb/history.h"

#include <map>
#include <stdexcept>
#include <string_view>

#include <mysqld_error.h>

#include "bloomery/filter/fence_source.h"
#include "bloomery/source/source_identity.h"

namespace bloomery::mariadb {
namespace {

using Variables = std::map<std::string, std::string, std::less<>>;

[[noreturn]] void refuse_history(Connection& connection, const std::string& why) {
  throw std::invalid_argument(connection.server().name + ": " + why);
}

Variables read_variables(Connection& connection, const CallContext& context) {
  Variables variables;
  const auto rows = connection.ask(
      "SELECT LOWER(VARIABLE_NAME), VARIABLE_VALUE FROM information_schema.GLOBAL_VARIABLES "
      "WHERE VARIABLE_NAME IN ('SERVER_UID', 'HOSTNAME', 'PORT', 'DATADIR', 'LOG_BIN', "
      "'LOG_BIN_BASENAME', 'LOG_SLAVE_UPDATES', 'BINLOG_FORMAT', 'GTID_STRICT_MODE', 'WSREP_ON')",
      context);
  for (const auto& row : rows) variables[row[0].value_or("")] = row[1].value_or("");
  return variables;
}

// Both parts are whole seconds of one clock reading, so their difference is the same each time.
std::string start_of_server(Connection& connection, const CallContext& context) {
  return connection.ask_one(
      "SELECT UNIX_TIMESTAMP() - CAST(VARIABLE_VALUE AS SIGNED) FROM "
      "information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = 'UPTIME'",
      context);
}

void check_server(Connection& connection, const Variables& variables, const CallContext& context) {
  const auto is = [&](std::string_view name, std::string_view value) {
    const auto found = variables.find(name);
    return found != variables.end() && found->second == value;
  };
  if (!is("log_bin", "ON")) {
    refuse_history(connection,
                   "has no binary log; start the server with --log-bin --binlog-format=ROW");
  }
  if (!is("gtid_strict_mode", "ON")) {
    refuse_history(connection,
                   "has gtid_strict_mode=OFF, with which numbers of transactions may go back; SET "
                   "GLOBAL gtid_strict_mode=ON, and in the server's configuration");
  }
  if (is("wsrep_on", "ON")) {
    refuse_history(connection, "is a node of a Galera cluster, which nobody has tried to follow");
  }
  if (is("log_slave_updates", "ON")) return;
  const auto running = connection.ask("SHOW GLOBAL STATUS LIKE 'Slaves_running'", context);
  if (!running.empty() && running[0][1] != "0") {
    refuse_history(connection,
                   "is a replica with log_slave_updates=OFF, so that rows come without its log; "
                   "set it ON, or follow the primary and read there");
  }
}

void check_table(Connection& connection, const Table& table) {
  if (table.kind != "BASE TABLE") {
    refuse_history(connection, table.schema + "." + table.name + " is a " + table.kind +
                                   "; followed are base tables");
  }
  if (table.engine == "InnoDB") return;
  refuse_history(connection, table.schema + "." + table.name + " is of the engine " + table.engine +
                                 ", whose rows can be seen before they are logged; followed are "
                                 "tables of InnoDB");
}

}  // namespace

History::History(Connection& connection, const Table& table, const CallContext& context) {
  if (!connection.is_mariadb()) {
    refuse_history(connection,
                   "is no MariaDB; MySQL's tables can be read, but its log is another one, and "
                   "not followed");
  }
  check_table(connection, table);
  const Variables variables = read_variables(connection, context);
  check_server(connection, variables, context);
  logs_replicated_ = variables.find("log_slave_updates")->second == "ON";
  for (const char* const part : {"server_uid", "hostname", "port", "datadir", "log_bin_basename"}) {
    const auto found = variables.find(part);
    server_ += (found == variables.end() ? "" : found->second) + "\n";
  }
  server_ += start_of_server(connection, context);
  server_ += "\n" + table.key_name();
  question_ =
      "SELECT @@gtid_binlog_pos, @@global.gtid_strict_mode, @@gtid_slave_pos, EXISTS(SELECT " +
      quote_name(table.key_column().name) + " FROM " + table.quoted() + " WHERE FALSE)";
}

History::Now History::ask(Connection& connection, const CallContext& context) const {
  try {
    const auto rows = connection.ask(question_, context);
    if (rows.size() != 1 || rows[0].size() != 4) {
      throw StoreError(connection.server().name + ": no answer about its binary log");
    }
    if (rows[0][1] != "1") {
      throw StoreError(connection.server().name +
                       ": has gtid_strict_mode=OFF now; SET GLOBAL gtid_strict_mode=ON");
    }
    // A server that logs nothing of what it replicates is another one once it does replicate.
    const std::string replicated = logs_replicated_ ? "" : rows[0][2].value_or("");
    return {identity_of({"mariadb", server_, replicated}), GtidState(rows[0][0].value_or(""))};
  } catch (const ServerError& error) {
    const bool is_gone = error.code == ER_NO_SUCH_TABLE || error.code == ER_BAD_FIELD_ERROR ||
                         error.code == ER_BAD_DB_ERROR || error.code == ER_NO_SUCH_TABLE_IN_ENGINE;
    if (is_gone) throw SourceChanged(error.what());
    throw;
  }
}

}  // namespace bloomery::mariadb
