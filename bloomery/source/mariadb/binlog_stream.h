// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "bloomery/place/call_context.h"
#include "bloomery/place/fence_source.h"
#include "bloomery/source/mariadb/binlog_reader.h"
#include "bloomery/source/mariadb/mariadb_connection.h"

namespace bloomery::mariadb {

// LogGone: the log cannot be read from the wanted place; its file was purged, most likely.
struct LogGone : SourceChanged {
  using SourceChanged::SourceChanged;
};

// Calls `attempt`, which finds a place in the log and reads from there, again while files are
// purged between the two.
template <class Attempt>
auto outlast_purges(const Attempt& attempt, const CallContext& context) {
  constexpr int kMostAttempts = 500;
  for (int i = 1;; ++i) {
    try {
      return attempt();
    } catch (const LogGone&) {
      if (i == kMostAttempts || context.is_over()) throw;
    }
  }
}

// A binary log as it is written, read by a thread of its own that waits where nobody takes.
class BinlogStream {
 public:
  // Adds what a packet of the log says.
  using Reader = std::function<void(std::string_view packet, LoggedChanges& changes)>;

  // Begins at an offset of a file, where the reader stands, on the server whose server_run() is
  // `of_run`. Throws LogGone; ServerError where the server refuses; what happens later, take()
  // throws.
  BinlogStream(const Server& server, const std::string& of_run, Reader reader,
               const std::string& file, std::uint32_t offset, const CallContext& context);
  ~BinlogStream();
  BinlogStream(const BinlogStream&) = delete;
  BinlogStream& operator=(const BinlogStream&) = delete;

  // Waits until there is something, or `until`. False when nothing came. Throws what ended the
  // stream, once all before it is taken.
  bool take(LoggedChanges& changes, CallContext::Clock::time_point until,
            const CallContext& context);

 private:
  void request(const std::string& file, std::uint32_t offset, const CallContext& context);
  std::string_view next_packet();
  void run(const std::stop_token& stop);
  bool wait_for_room(const std::stop_token& stop);

  // The connection's socket by another number, which stays ours when libmariadb closes its own.
  class Breaker {
   public:
    explicit Breaker(int socket);
    Breaker(const Breaker&) = delete;
    Breaker& operator=(const Breaker&) = delete;
    ~Breaker();

    void cut() const noexcept;

   private:
    int file_;
  };

  Connection connection_;
  const Breaker breaker_;
  const Reader reader_;
  LoggedChanges reading_;  // of the thread
  std::mutex mutex_;
  std::condition_variable_any changed_;
  LoggedChanges ready_;
  std::exception_ptr failure_;
  std::jthread thread_;
};

}  // namespace bloomery::mariadb
