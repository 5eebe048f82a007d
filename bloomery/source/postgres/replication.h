// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "bloomery/source/postgres/input_drain.h"
#include "bloomery/source/postgres/postgres_connection.h"
#include "bloomery/source/postgres/table_question.h"

namespace bloomery::postgres {

// A message of the server to a reader of changes.
struct ReplicationMessage {
  enum class Kind : std::uint8_t {
    none,      // nothing is there now
    data,      // a message of the plug-in
    position,  // all commits up to end_lsn have been sent
  };
  Kind kind = Kind::none;
  std::uint64_t end_lsn = 0;
  std::string_view data{};  // until the next call
};

// A connection on which a server sends the changes of a slot. One thread at a time.
class Replication {
 public:
  // Throws StoreError where it is with another run of the server than `run`.
  Replication(const ServerLocation& location, const ServerRun& run, const CallContext& context);

  // Makes a slot, which ends with the connection if it is temporary; from where it gives changes.
  std::uint64_t create_slot(const std::string& name, bool is_temporary, const CallContext& context);
  // Confirms nothing yet.
  void start(const std::string& slot, std::uint64_t from, const std::string& publication,
             const CallContext& context);

  // Throws SourceChanged where the server says that the changes are no longer there, or cannot be
  // sent.
  ReplicationMessage next(const CallContext& context);
  // False when `until` came first.
  bool wait(CallContext::Clock::time_point until, const CallContext& context) {
    return connection_.wait_for_input(until, context);
  }

  // Takes what comes meanwhile, for next().
  std::unique_ptr<InputDrain> drain() { return std::make_unique<InputDrain>(connection_.handle()); }

  bool is_open() const noexcept { return connection_.is_open(); }

  // The server need not keep what comes before `lsn`. Tells it now.
  void confirm(std::uint64_t lsn, const CallContext& context);
  // Tells the server that somebody is there, where it has not been told for a while.
  void tell_now_and_then(const CallContext& context);

 private:
  struct FreeBytes {
    void operator()(char* bytes) const noexcept { PQfreemem(bytes); }
  };

  void tell(std::uint64_t lsn, const CallContext& context);
  void answer(std::uint64_t end_lsn, const CallContext& context);
  [[noreturn]] void fail_as_said(const CallContext& context);

  Connection connection_;
  std::unique_ptr<char, FreeBytes> bytes_;
  bool is_temporary_ = false;
  std::uint64_t confirmed_ = 0;
  CallContext::Clock::time_point told_{};
  CallContext::Clock::time_point asked_{};        // by the server, for a word of ours
  CallContext::Clock::time_point first_asked_{};  // of those that came one after the other
};

// A position of the log as the server reads it: 16/B374D848.
std::string lsn_text(std::uint64_t lsn);

}  // namespace bloomery::postgres
