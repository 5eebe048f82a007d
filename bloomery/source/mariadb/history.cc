// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/mariadb/history.h"

#include <map>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <mysqld_error.h>

#include "bloomery/place/fence_source.h"
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
      "WHERE VARIABLE_NAME IN ('SERVER_UID', 'LOG_BIN', 'LOG_BIN_BASENAME'"
      ", 'LOG_SLAVE_UPDATES', 'BINLOG_FORMAT', 'GTID_STRICT_MODE', 'WSREP_ON')",
      context);
  for (const auto& row : rows) variables[row[0].value_or("")] = row[1].value_or("");
  return variables;
}

// Notes the server and when it started: both parts of the time are whole seconds of one clock
// reading, so their difference is the same each time.
constexpr const char* kNoteRun =
    "SET @bloomery_run = (SELECT CONCAT_WS('|', @@hostname, @@port, @@datadir, UNIX_TIMESTAMP() - "
    "CAST(VARIABLE_VALUE AS SIGNED)) FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = "
    "'UPTIME')";

constexpr const char* kNoteRunOfMysql =
    "SET @bloomery_run = (SELECT CONCAT_WS('|', @@hostname, @@port, @@datadir, UNIX_TIMESTAMP() - "
    "CAST(VARIABLE_VALUE AS SIGNED)) FROM performance_schema.global_status WHERE VARIABLE_NAME = "
    "'Uptime')";

// How long a file may be taken for the log's last although the next one is not called next, and a
// log for the same that grew beyond where it was last asked.
constexpr std::chrono::seconds kLookForLogEvery{5};

// No server commits more in a second. So a log that began anew, in a file that begins where this
// one does, was at the sum of the question before only where this much time has passed since.
constexpr double kMostCommitsInSecond = 1'000'000;

struct LogNow {
  std::string file;
  std::string begins;  // where the file does
  std::string resets;
};

// Costs ten times what a question does.
LogNow ask_log(Connection& connection, const CallContext& context) {
  const auto rows = connection.ask(
      "SELECT VARIABLE_NAME, VARIABLE_VALUE, @bloomery_run IS NULL, "
      "BINLOG_GTID_POS(VARIABLE_VALUE, 4) FROM information_schema.GLOBAL_STATUS "
      "WHERE VARIABLE_NAME IN ('BINLOG_SNAPSHOT_FILE', 'COM_RESET') ORDER BY VARIABLE_NAME",
      context);
  if (rows.size() != 2 || rows[0].size() != 4 || !rows[0][1] || !rows[1][1]) {
    throw StoreError(connection.server().name + ": does not say where its binary log stands");
  }
  if (rows[0][2] != "0") {
    throw SessionExchanged(connection.server().name +
                           ": its session was exchanged for another by what stands between");
  }
  return {*rows[0][1], rows[0][3].value_or(""), *rows[1][1]};
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

std::string server_run(Connection& connection, const CallContext& context) {
  if (!connection.is_mariadb()) {
    connection.ask(kNoteRunOfMysql, context);
    const auto rows = connection.ask(
        "SELECT CONCAT_WS('|', @@global.server_id, @@global.server_uuid, @bloomery_run), "
        "@bloomery_run IS NULL",
        context);
    if (rows.size() == 1 && rows[0].size() == 2 && rows[0][1] == "0") return *rows[0][0];
    throw std::invalid_argument(
        connection.server().name +
        ": does not say when it started (performance_schema=OFF); start it with "
        "--performance-schema=ON");
  }
  connection.ask(kNoteRun, context);
  return connection.ask_one(
      "SELECT CONCAT_WS('|', @@global.server_id, @@global.server_uid, @bloomery_run)", context);
}

void require_run(Connection& connection, const std::string& run, const CallContext& context) {
  if (server_run(connection, context) == run) return;
  throw StoreError(connection.server().name +
                   ": leads to several servers, or to one that was started again; what is followed "
                   "must be one server, past all that divides its readers");
}

History::History(Connection& connection, const Table& table, const CallContext& context) {
  if (!connection.is_mariadb()) {
    throw std::logic_error("History is of MariaDB's log; MySQL's is a LogHistory");
  }
  check_table(connection, table);
  const Variables variables = read_variables(connection, context);
  check_server(connection, variables, context);
  logs_replicated_ = variables.find("log_slave_updates")->second == "ON";
  for (const char* const part : {"server_uid", "log_bin_basename"}) {
    const auto found = variables.find(part);
    server_ += (found == variables.end() ? "" : found->second) + "\n";
  }
  server_ += table.key_name();
  column_ = "EXISTS(SELECT " + quote_name(table.key_column().name) + " FROM " + table.quoted() +
            " WHERE FALSE)";
  connection.ask(kNoteRun, context);
  look_for_log(connection, context);
}

void History::look_for_log(Connection& connection, const CallContext& context) {
  LogNow now = ask_log(connection, context);
  file_.emplace(now.file);
  begins_ = std::move(now.begins);
  resets_ = std::move(now.resets);
  looked_ = Clock::now();
  question_ =
      "SELECT @@gtid_binlog_pos, @@global.gtid_strict_mode, @@gtid_slave_pos, @bloomery_run, "
      "BINLOG_GTID_POS(" +
      connection.literal(file_->name_of(file_->number + 1)) + ", 4) IS NOT NULL, BINLOG_GTID_POS(" +
      connection.literal(file_->name()) + ", 4), " + column_;
}

Identity History::Now::identity_with(const GtidState& other_state) const {
  return identity_of({"mariadb", server, other_state.domains()});
}

bool History::may_be_anew(Clock::time_point now) const {
  const std::chrono::duration<double> since = now - asked_;
  const double in_file = static_cast<double>(sum_) - static_cast<double>(GtidState(begins_).sum());
  return in_file <= kMostCommitsInSecond * since.count();
}

History::Now History::ask(Connection& connection, const CallContext& context) {
  try {
    const Clock::time_point begun = Clock::now();
    const auto rows = connection.ask(question_, context);
    if (rows.size() != 1 || rows[0].size() != 7) {
      throw StoreError(connection.server().name + ": no answer about its binary log");
    }
    const auto& row = rows[0];
    if (!row[3]) {
      throw SessionExchanged(connection.server().name +
                             ": its session was exchanged for another by what stands between");
    }
    if (row[1] != "1") {
      throw StoreError(connection.server().name +
                       ": has gtid_strict_mode=OFF now; SET GLOBAL gtid_strict_mode=ON");
    }
    const GtidState state(row[0].value_or(""));
    const bool may_be_elsewhere = row[4] != "0" || row[5] != begins_ || state.sum() < sum_ ||
                                  Clock::now() > looked_ + kLookForLogEvery;
    if (may_be_elsewhere || may_be_anew(Clock::now())) look_for_log(connection, context);
    sum_ = state.sum();
    asked_ = begun;
    // A server that logs nothing of what it replicates is another one once it does replicate.
    const std::string replicated = logs_replicated_ ? "" : row[2].value_or("");
    return {server_ + "\n" + *row[3] + "\n" + resets_ + "\n" + replicated, state, *file_};
  } catch (const ServerError& error) {
    const bool is_gone = error.code == ER_NO_SUCH_TABLE || error.code == ER_BAD_FIELD_ERROR ||
                         error.code == ER_BAD_DB_ERROR || error.code == ER_NO_SUCH_TABLE_IN_ENGINE;
    if (is_gone) throw SourceChanged(error.what());
    throw;
  }
}

bool History::was_reset(Connection& connection, const CallContext& context) const {
  connection.ask(kNoteRun, context);
  return ask_log(connection, context).resets != resets_;
}

}  // namespace bloomery::mariadb
