// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/place/call_context.h"
#include "bloomery/source/mariadb/libmariadb.h"
#include "bloomery/source/mariadb/server.h"
#include "bloomery/source/mariadb/waiting.h"

namespace bloomery::mariadb {

// The server refused, or the way to it broke; `code` is libmariadb's.
struct ServerError : StoreError {
  ServerError(const std::string& message, unsigned error_code)
      : StoreError(message), code(error_code) {}
  unsigned code;
};

// One session with a server that only reads, in utf8mb4 and with settings of its own, whatever the
// server's are.
// Every call keeps its context's deadline and stop. Where a call throws, but for an error that the
// server answered, the session is broken: it is never used again. One thread at a time.
class Connection {
 public:
  using Row = std::vector<std::optional<std::string>>;
  // A row as libmariadb has it; false wants no more.
  using RowConsumer = std::function<bool(MYSQL_ROW values, const unsigned long* lengths)>;
  using FieldConsumer = std::function<void(const MYSQL_FIELD* fields, unsigned count)>;

  // `silence`: how long reads of libmariadb's own, without a context, wait for a byte.
  Connection(const Server& server, const CallContext& context,
             std::chrono::milliseconds silence = {});
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // All rows of a small result.
  std::vector<Row> ask(const std::string& sql, const CallContext& context,
                       const FieldConsumer& fields = {});
  // The only row, of which the first value. Throws where there is none.
  std::string ask_one(const std::string& sql, const CallContext& context);
  // Row by row as they come. Breaks the session where the consumer wants no more, or throws.
  void stream(const std::string& sql, const RowConsumer& consumer, const CallContext& context,
              const FieldConsumer& fields = {});

  // A text as SQL spells it, quotes around it.
  std::string literal(std::string_view text);

  bool is_broken() const noexcept { return is_broken_; }
  bool is_mariadb() const noexcept { return is_mariadb_; }
  const Server& server() const noexcept { return server_; }

  // Gives the handle for calls that have none of their own here.
  MYSQL* handle() noexcept { return &mysql_; }
  // Drives a call of libmariadb's in two parts, start(Result*) and cont(Result*, events).
  template <class Result, class Start, class Continue>
  Result run(Waiting& waiting, const char* doing, Start start, Continue go_on);
  [[noreturn]] void fail(const char* doing);

 private:
  void set_options(std::chrono::milliseconds silence);
  void refuse_what_nobody_asked_for();
  // Throws std::invalid_argument.
  void require_options_of_location();
  void connect(const CallContext& context);
  void send(const std::string& sql, Waiting& waiting);
  void interrupt() noexcept;
  void end() noexcept;

  const Server server_;
  MYSQL mysql_{};
  bool is_broken_ = false;
  bool is_mariadb_ = false;
};

// A name as SQL spells it, backticks around it.
std::string quote_name(std::string_view name);

template <class Result, class Start, class Continue>
Result Connection::run(Waiting& waiting, const char* doing, Start start, Continue go_on) {
  Result result{};
  try {
    int wanted = start(&result);
    while (wanted != 0) {
      wanted =
          go_on(&result, waiting.wait(static_cast<int>(mysql_get_socket(&mysql_)), wanted, doing));
    }
  } catch (...) {
    is_broken_ = true;  // libmariadb waits in the middle of the call
    throw;
  }
  return result;
}

}  // namespace bloomery::mariadb
