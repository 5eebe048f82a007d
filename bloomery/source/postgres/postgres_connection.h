// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "bloomery/place/call_context.h"
#include "bloomery/source/postgres/libpq.h"
#include "bloomery/source/server_location.h"

namespace bloomery::postgres {

// Rows that a server answered.
class Result {
 public:
  Result() = default;
  explicit Result(PGresult* result) noexcept : result_(result) {}

  explicit operator bool() const noexcept { return result_ != nullptr; }
  PGresult* get() const noexcept { return result_.get(); }
  int rows() const noexcept { return PQntuples(result_.get()); }
  bool is_null(int row, int column) const noexcept {
    return PQgetisnull(result_.get(), row, column) != 0;
  }
  // Empty for NULL.
  std::string_view at(int row, int column) const noexcept {
    return {PQgetvalue(result_.get(), row, column),
            static_cast<std::size_t>(PQgetlength(result_.get(), row, column))};
  }
  std::string text(int row, int column) const { return std::string(at(row, column)); }
  // Throws StoreError where it is none.
  std::uint64_t number(int row, int column) const;
  // The five characters that say which error it is; empty where it is none.
  std::string_view sql_state() const noexcept;

 private:
  struct Clear {
    void operator()(PGresult* result) const noexcept { PQclear(result); }
  };
  std::unique_ptr<PGresult, Clear> result_;
};

using Parameters = std::initializer_list<std::string_view>;

// A session of a PostgreSQL server, from version 14 on. All of them print values alike (UTF-8, ISO
// dates, UTC, bytea in hexadecimal digits), and a policy that hides rows is an error in each. What
// fails throws StoreError, what lasts longer than its context allows CallAborted; after either of
// them, unless the server itself refused a statement, the connection is closed for good.
//
// One thread at a time.
class Connection {
 public:
  enum class Kind { queries, replication };

  // Connects. Throws std::invalid_argument for settings that there are not.
  Connection(const ServerLocation& location, Kind kind, const CallContext& context);

  // One statement, and its rows. A refusal of the server throws with its words.
  Result query(const std::string& sql, const CallContext& context);
  Result query(const std::string& sql, Parameters parameters, const CallContext& context);
  Result prepare(const std::string& name, const std::string& sql, const CallContext& context) {
    return checked(try_prepare(name, sql, context), "");
  }
  // `try_prepare` and `try_prepared` give back what the server refused, as a result with an
  // sql_state().
  Result try_prepare(const std::string& name, const std::string& sql, const CallContext& context);
  Result try_prepared(const std::string& name, std::span<const char* const> values,
                      const CallContext& context);
  Result try_query(const std::string& sql, const CallContext& context);
  Result try_query(const std::string& sql, std::span<const char* const> values,
                   const CallContext& context);

  // Lets a statement whose asker has gone end in the server, too, from now on, if the server's
  // system can tell.
  void end_with_asker(const CallContext& context);

  // Waits until there is something to read, and takes it in. False when `until` was earlier than
  // the context's deadline, and came.
  bool wait_for_input(CallContext::Clock::time_point until, const CallContext& context);
  // Sends all that waits to be sent.
  void flush(const CallContext& context);
  // The server's next answer; none at the end of a command.
  Result next_result(const CallContext& context);

  // Throws StoreError with what libpq says went wrong, and closes the connection.
  [[noreturn]] void fail(const std::string& what);
  // Returns whether the server said this value of a parameter when the session began.
  bool says(const char* parameter, std::string_view value) const;
  void require_words_of(const ServerLocation& location);
  // Throws StoreError with what the server said.
  [[noreturn]] void refuse(const Result& result, const std::string& what) const;
  void close() noexcept { connection_.reset(); }
  bool is_open() const noexcept { return connection_ != nullptr; }

  PGconn* handle() const noexcept { return connection_.get(); }
  int version() const noexcept { return PQserverVersion(connection_.get()); }
  const std::string& name() const noexcept { return name_; }

 private:
  struct Finish {
    void operator()(PGconn* connection) const noexcept { PQfinish(connection); }
  };

  // False when `until` came first.
  bool wait_for_socket(short events, CallContext::Clock::time_point until,
                       const CallContext& context);
  Result only_result(const CallContext& context);
  Result checked(Result result, const char* what) const;
  void need_open() const;

  std::string name_;
  std::unique_ptr<PGconn, Finish> connection_;
};

// A statement that the server knows by name, so that it need not understand it each time. The name
// is made of its text: a pooler gives sessions of the server to whom it likes, with what others
// have prepared there. Where it gave us one without ours, the statement is sent whole from then on.
class PreparedStatement {
 public:
  PreparedStatement(Connection& connection, std::string sql, const CallContext& context);

  // Runs the statement as Connection::try_prepared() does, in its connection or in another to the
  // same server.
  Result try_run(Connection& connection, std::span<const char* const> values,
                 const CallContext& context);

 private:
  std::string sql_;
  std::string name_;
  bool is_known_ = true;
};

// A name as SQL wants it, whatever is in it; and a text.
std::string quoted_name(std::string_view name);
std::string quoted_text(std::string_view text);

}  // namespace bloomery::postgres
