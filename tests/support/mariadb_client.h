// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mysql.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace bloomery::testing {

// A session with a server that may write, in place of the application.
class MariadbClient {
 public:
  MariadbClient(const std::string& socket, const std::string& user,
                const std::string& database = {})
      : connection_(open(socket, user)) {
    if (connection_ == nullptr) throw std::runtime_error("no server at " + socket);
    if (!database.empty()) run("USE " + database);
  }
  MariadbClient(MariadbClient&& other) noexcept
      : connection_(std::exchange(other.connection_, nullptr)) {}
  MariadbClient& operator=(MariadbClient&&) = delete;
  ~MariadbClient() {
    if (connection_ != nullptr) mysql_close(connection_);
  }

  static bool answers(const std::string& socket) {
    MYSQL* const connection = open(socket, "root");
    if (connection != nullptr) mysql_close(connection);
    return connection != nullptr;
  }

  // Runs a statement, or several with ; between. Throws what the server says against it.
  void run(const std::string& sql) { ask(sql); }

  // The first value of the last answer; "NULL" and "" where there is none.
  std::string ask(const std::string& sql) {
    std::string answer;
    const auto fail = [&] {
      throw std::runtime_error(std::string(mysql_error(connection_)) + ": " + sql);
    };
    // -1 too, where the connection was lost before.
    if (mysql_real_query(connection_, sql.data(), sql.size()) != 0) fail();
    int more = 0;
    while (more == 0) {
      if (MYSQL_RES* const result = mysql_store_result(connection_)) {
        const MYSQL_ROW row = mysql_fetch_row(result);
        answer = row == nullptr ? "" : row[0] == nullptr ? "NULL" : row[0];
        mysql_free_result(result);
      } else if (mysql_errno(connection_) != 0) {
        fail();
      }
      more = mysql_next_result(connection_);
    }
    if (more > 0) fail();
    return answer;
  }

 private:
  static MYSQL* open(const std::string& socket, const std::string& user) {
    MYSQL* const connection = mysql_init(nullptr);
    mysql_options(connection, MYSQL_SET_CHARSET_NAME, "utf8mb4");
    if (mysql_real_connect(connection, nullptr, user.c_str(), "", nullptr, 0, socket.c_str(),
                           CLIENT_MULTI_STATEMENTS) != nullptr) {
      return connection;
    }
    mysql_close(connection);
    return nullptr;
  }

  MYSQL* connection_;
};

}  // namespace bloomery::testing
