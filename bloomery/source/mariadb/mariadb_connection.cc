// SPDX-License-Identifier: Apache-2.0
#include "bloomery/source/mariadb/mariadb_connection.h"

#include <errmsg.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <memory>
#include <new>
#include <stdexcept>

#include "bloomery/source/sql_quotes.h"

namespace bloomery::mariadb {
namespace {

// Session settings: a server's own might change keys, or end a long scan. The last two are
// MariaDB's and MySQL's alone.
constexpr const char* kSessionSettings =
    "SET NAMES utf8mb4, SESSION sql_mode='', autocommit=1, net_write_timeout=31536000, "
    "sql_select_limit=18446744073709551615"
    " /*M! , max_statement_time=0 */ /*!80000 , max_execution_time=0 */";
constexpr const char* kTransactions =
    "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY";

// A peer that is gone is noticed though nothing is sent.
void keep_alive(int file) noexcept {
  const int yes = 1;
  const int idle = 30;
  const int between = 10;
  const int probes = 3;
  setsockopt(file, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
  setsockopt(file, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
  setsockopt(file, IPPROTO_TCP, TCP_KEEPINTVL, &between, sizeof between);
  setsockopt(file, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
}

const char* or_none(const std::string& text) noexcept {
  return text.empty() ? nullptr : text.c_str();
}

unsigned way_to(const Server& server) noexcept {
  if (!server.socket.empty()) return MYSQL_PROTOCOL_SOCKET;
  if (!server.host.empty() || server.port != 0) return MYSQL_PROTOCOL_TCP;
  return MYSQL_PROTOCOL_DEFAULT;
}

bool is_of_connection(unsigned code) noexcept {
  return code >= CR_MIN_ERROR && code <= CR_MAX_ERROR;
}

}  // namespace

Connection::Connection(const Server& server, const CallContext& context,
                       std::chrono::milliseconds silence)
    : server_(server) {
  if (mysql_init(&mysql_) == nullptr) throw std::bad_alloc();
  try {
    set_options(silence);
    connect(context);
    Waiting waiting(server_.name, context, server_.timeout);
    send(kSessionSettings, waiting);
    send(kTransactions, waiting);
    // An option file's init-command may have chosen another.
    const bool may_have_left = !server_.option_file.empty() && !server_.database.empty();
    if (may_have_left) send("USE " + quote_name(server_.database), waiting);
  } catch (...) {
    end();
    throw;
  }
}

Connection::~Connection() {
  end();
}

void Connection::end() noexcept {
  if (is_broken_) interrupt();
  mysql_close(&mysql_);
}

void Connection::interrupt() noexcept {
  const auto file = mysql_get_socket(&mysql_);
  if (file != MARIADB_INVALID_SOCKET) shutdown(static_cast<int>(file), SHUT_RDWR);
}

void Connection::set_options(std::chrono::milliseconds silence) {
  mysql_options(&mysql_, MYSQL_OPT_NONBLOCK, nullptr);
  if (!server_.option_file.empty()) {
    mysql_options(&mysql_, MYSQL_READ_DEFAULT_FILE, server_.option_file.c_str());
    mysql_options(&mysql_, MYSQL_READ_DEFAULT_GROUP, "client");
  }
  // The client library takes "localhost", or a port without a host, for its usual socket, whichever
  // server that is of.
  const unsigned way = way_to(server_);
  mysql_options(&mysql_, MYSQL_OPT_PROTOCOL, &way);
  const my_bool no = 0;
  const my_bool yes = 1;
  if (silence.count() > 0) {
    const auto seconds =
        static_cast<unsigned>(std::chrono::ceil<std::chrono::seconds>(silence).count());
    mysql_options(&mysql_, MYSQL_OPT_READ_TIMEOUT, &seconds);
  }
  refuse_what_nobody_asked_for();
  mysql_options(&mysql_, MYSQL_SET_CHARSET_NAME, "utf8mb4");
  if (server_.tls == Server::Tls::off) return;
  mysql_options(&mysql_, MYSQL_OPT_SSL_ENFORCE, &yes);
  mysql_options(&mysql_, MYSQL_OPT_SSL_VERIFY_SERVER_CERT,
                server_.tls == Server::Tls::verify ? &yes : &no);
  if (!server_.ca.empty()) mysql_options(&mysql_, MYSQL_OPT_SSL_CA, server_.ca.c_str());
  if (!server_.certificate.empty()) {
    mysql_options(&mysql_, MYSQL_OPT_SSL_CERT, server_.certificate.c_str());
    mysql_options(&mysql_, MYSQL_OPT_SSL_KEY, server_.key.c_str());
  }
}

// A session that is begun again has other settings, and no server is sent files.
void Connection::refuse_what_nobody_asked_for() {
  const my_bool no = 0;
  mysql_options(&mysql_, MYSQL_OPT_RECONNECT, &no);
  mysql_options(&mysql_, MYSQL_OPT_LOCAL_INFILE, &no);
}

// The library reads an option file when it connects, and what that says takes the place of what
// the library was told before.
void Connection::require_options_of_location() {
  if (server_.option_file.empty()) return;
  const auto refuse = [&](const char* option) {
    throw std::invalid_argument(server_.name + ": the option file " + server_.option_file +
                                " says otherwise than the location (" + option +
                                "); take it out of its group [client]");
  };
  unsigned way = MYSQL_PROTOCOL_DEFAULT;
  mysql_get_optionv(&mysql_, MYSQL_OPT_PROTOCOL, &way);
  if (way_to(server_) != MYSQL_PROTOCOL_DEFAULT && way != way_to(server_)) refuse("protocol");
  if (server_.tls == Server::Tls::off) return;
  const auto flag = [&](mysql_option option) {
    my_bool is_set = 0;
    mysql_get_optionv(&mysql_, option, &is_set);
    return is_set != 0;
  };
  const auto require_file = [&](const std::string& wanted, mysql_option option, const char* name) {
    const char* found = nullptr;
    mysql_get_optionv(&mysql_, option, &found);
    if (!wanted.empty() && (found == nullptr || wanted != found)) refuse(name);
  };
  if (!flag(MYSQL_OPT_SSL_ENFORCE)) refuse("ssl");
  if (server_.tls == Server::Tls::verify && !flag(MYSQL_OPT_SSL_VERIFY_SERVER_CERT)) {
    refuse("ssl-verify-server-cert");
  }
  require_file(server_.ca, MYSQL_OPT_SSL_CA, "ssl-ca");
  require_file(server_.certificate, MYSQL_OPT_SSL_CERT, "ssl-cert");
  require_file(server_.key, MYSQL_OPT_SSL_KEY, "ssl-key");
}

void Connection::connect(const CallContext& context) {
  Waiting waiting(server_.name, context, server_.timeout);
  constexpr const char* kDoing = "connecting";
  waiting.check(kDoing);
  const auto* const connected = run<MYSQL*>(
      waiting, kDoing,
      [&](MYSQL** result) {
        const int events =
            mysql_real_connect_start(result, &mysql_, or_none(server_.host), or_none(server_.user),
                                     or_none(server_.password), or_none(server_.database),
                                     server_.port, or_none(server_.socket), 0);
        require_options_of_location();
        return events;
      },
      [&](MYSQL** result, int events) { return mysql_real_connect_cont(result, &mysql_, events); });
  if (connected == nullptr) {
    is_broken_ = true;
    fail(kDoing);
  }
  refuse_what_nobody_asked_for();
  keep_alive(static_cast<int>(mysql_get_socket(&mysql_)));
  is_mariadb_ = mariadb_connection(&mysql_) != 0;
}

void Connection::fail(const char* doing) {
  const unsigned code = mysql_errno(&mysql_);
  if (code == 0 || is_of_connection(code)) is_broken_ = true;
  const char* const message = mysql_error(&mysql_);
  throw ServerError(server_.name + ": " + (*message == '\0' ? "the server went away" : message) +
                        " (" + std::to_string(code) + ", while " + doing + ")",
                    code);
}

void Connection::send(const std::string& sql, Waiting& waiting) {
  constexpr const char* kDoing = "asking";
  if (is_broken_) throw ServerError(server_.name + ": the connection is broken", CR_SERVER_LOST);
  waiting.check(kDoing);
  const int failed = run<int>(
      waiting, kDoing,
      [&](int* result) { return mysql_real_query_start(result, &mysql_, sql.data(), sql.size()); },
      [&](int* result, int events) { return mysql_real_query_cont(result, &mysql_, events); });
  if (failed != 0) fail(kDoing);
}

std::vector<Connection::Row> Connection::ask(const std::string& sql, const CallContext& context,
                                             const FieldConsumer& fields) {
  constexpr const char* kDoing = "reading an answer";
  Waiting waiting(server_.name, context, server_.timeout);
  send(sql, waiting);
  const std::unique_ptr<MYSQL_RES, decltype((mysql_free_result))> result(
      run<MYSQL_RES*>(
          waiting, kDoing, [&](MYSQL_RES** out) { return mysql_store_result_start(out, &mysql_); },
          [&](MYSQL_RES** out, int events) {
            return mysql_store_result_cont(out, &mysql_, events);
          }),
      mysql_free_result);
  if (result == nullptr) {
    if (mysql_field_count(&mysql_) > 0 || mysql_errno(&mysql_) != 0) fail(kDoing);
    return {};
  }
  if (fields) fields(mysql_fetch_fields(result.get()), mysql_num_fields(result.get()));
  std::vector<Row> rows;
  while (const MYSQL_ROW values = mysql_fetch_row(result.get())) {
    const unsigned long* const lengths = mysql_fetch_lengths(result.get());
    Row& row = rows.emplace_back(mysql_num_fields(result.get()));
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (values[i] != nullptr) row[i].emplace(values[i], lengths[i]);
    }
  }
  return rows;
}

std::string Connection::ask_one(const std::string& sql, const CallContext& context) {
  auto rows = ask(sql, context);
  if (rows.size() != 1 || rows[0].empty() || !rows[0][0].has_value()) {
    throw StoreError(server_.name + ": no answer to " + sql);
  }
  return *std::move(rows[0][0]);
}

void Connection::stream(const std::string& sql, const RowConsumer& consumer,
                        const CallContext& context, const FieldConsumer& fields) {
  constexpr const char* kDoing = "reading rows";
  // A query may compute for hours before its first row: the caller's own deadline bounds it.
  Waiting waiting(server_.name, context, std::chrono::hours(24));
  send(sql, waiting);
  MYSQL_RES* const result = mysql_use_result(&mysql_);
  if (result == nullptr) fail(kDoing);
  // Reads whatever is left, unless it is cut off before.
  const std::unique_ptr<MYSQL_RES, decltype((mysql_free_result))> freed(result, mysql_free_result);
  try {
    if (fields) fields(mysql_fetch_fields(result), mysql_num_fields(result));
    std::size_t row_count = 0;
    while (true) {
      constexpr std::size_t kRowsBetweenChecks = 1024;
      if (++row_count % kRowsBetweenChecks == 0) waiting.check(kDoing);
      const MYSQL_ROW values = run<MYSQL_ROW>(
          waiting, kDoing, [&](MYSQL_ROW* out) { return mysql_fetch_row_start(out, result); },
          [&](MYSQL_ROW* out, int events) { return mysql_fetch_row_cont(out, result, events); });
      if (values == nullptr) {
        if (mysql_errno(&mysql_) != 0) fail(kDoing);
        return;
      }
      if (consumer(values, mysql_fetch_lengths(result))) continue;
      is_broken_ = true;
      interrupt();
      return;
    }
  } catch (...) {
    is_broken_ = true;
    interrupt();
    throw;
  }
}

std::string Connection::literal(std::string_view text) {
  std::string escaped(2 * text.size() + 1, '\0');
  escaped.resize(mysql_real_escape_string(&mysql_, escaped.data(), text.data(), text.size()));
  return "'" + escaped + "'";
}

std::string quote_name(std::string_view name) {
  return in_sql_quotes(name, '`');
}

}  // namespace bloomery::mariadb
