#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "bloomery/filter/call_context.h"
#include "bloomery/redis/back_off.h"
#include "bloomery/redis/connection.h"
#include "bloomery/redis/errors.h"
#include "bloomery/redis/location.h"
#include "bloomery/redis/reply.h"
#include "bloomery/redis/request.h"

namespace bloomery::redis {

// Whether a request may be sent again when nobody knows if it was done: what only reads, and what
// sets bits that nobody clears. Never what counts.
enum class Repeat : std::uint8_t { never, safe };

struct Answer {
  std::vector<Reply> replies{};
  bool repeated = false;  // the server may have done it twice
};

// A server, for many threads: a few connections that are made when they are needed, kept, and
// closed when anything went wrong on them.
class Client {
 public:
  // Connects to nobody yet. Throws StoreError for certificates that are none.
  explicit Client(Location location);

  const Location& location() const noexcept { return location_; }

  // Reads replies; throws ProtocolError where they cannot be the answer, whose connection is then
  // closed.
  using Judge = std::function<void(std::span<const Reply> replies)>;

  // One trip, within the context and the location's time-out. A connection that was cut is replaced
  // once, where the request may be repeated. Throws ConnectionError, RefusedError where the server
  // takes no connection, CallAborted. Errors among the replies are for the caller.
  // `judge` sees the replies of each try.
  Answer run(const Request& request, Repeat repeat, const CallContext& context = {},
             const Judge& judge = {});

 private:
  // A connection in somebody's hand; given back at the end, if it can be.
  class Lease;

  void take_place(Deadline& deadline);
  std::unique_ptr<Connection> take_idle();
  std::unique_ptr<Connection> connect(Deadline& deadline);
  std::vector<Reply> try_once(const Request& request, const Judge& judge, Deadline& deadline,
                              bool& was_cut);

  const Location location_;
  const std::unique_ptr<const TlsSettings> tls_;
  BackOff back_off_;
  std::mutex mutex_;
  std::condition_variable_any freed_;
  std::uint32_t taken_ = 0;
  std::vector<std::unique_ptr<Connection>> idle_;
};

// A reply that is no error. Throws RefusedError otherwise.
const Reply& require_done(const Reply& reply, const Location& location);

}  // namespace bloomery::redis
