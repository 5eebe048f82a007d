// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "bloomery/bits/per_process.h"
#include "bloomery/place/call_context.h"
#include "bloomery/redis/client/location.h"
#include "bloomery/redis/client/nodes.h"
#include "bloomery/redis/client/reply.h"
#include "bloomery/redis/client/request.h"
#include "bloomery/redis/client/server_errors.h"
#include "bloomery/redis/client/tls.h"

namespace bloomery::redis {

// Repeat: whether a request may be sent again when nobody knows if it was done: what only reads,
// and what sets bits that nobody clears. Never what counts.
enum class Repeat : std::uint8_t { never, safe };

struct Answer {
  std::vector<Reply> replies{};
  bool repeated = false;  // the server may have done it twice
};

// A server, or those of a cluster, for many threads: a few connections to each that are made when
// they are needed, kept, and closed when anything went wrong on them.
class Client {
 public:
  // Connects to nobody yet. Throws StoreError for certificates that are none.
  explicit Client(Location location);

  const Location& location() const noexcept { return location_; }

  // Reads replies; throws ProtocolError where they cannot be the answer, whose connection is then
  // closed.
  using Judge = std::function<void(std::span<const Reply> replies)>;

  // One trip, within the context and the location's time-out. Goes where it is sent (MOVED, ASK),
  // with all that the location says, and waits while the server says TRYAGAIN or CLUSTERDOWN, or
  // nodes send it to each other: what was refused as a whole, is asked again as a whole. A
  // connection that was cut is replaced once, where the request may be repeated, and so is one to a
  // server that says READONLY. Throws ConnectionError, RefusedError where the server takes no
  // connection, CallAborted. Errors among the replies are for the caller, also those that there is
  // no following. `judge` sees the replies of each try.
  Answer run(const Request& request, Repeat repeat, const CallContext& context = {},
             const Judge& judge = {});

  // Two trips on one connection, on which nobody asks anything in between: `first`, which watches a
  // key, and what `then` makes of its replies. False where that is nothing; or where the connection
  // failed or cannot be believed, when nobody knows what was done, or where nobody says which
  // server has the key. Neither is tried again, and nobody follows where they are sent. Throws
  // TimeoutError, CallAborted.
  using Then = std::function<std::optional<Request>(std::span<const Reply> replies)>;
  bool run_watched(const Request& first, const Then& then, const CallContext& context,
                   const Judge& judge);

  // Returns a node's number, from 0 on, for each key, as far as is known. Throws what asking nodes
  // and sentinels throws.
  std::vector<std::size_t> nodes_of(std::span<const std::string_view> keys,
                                    const CallContext& context);

  // Doubts the node that had `key` last: it is no primary any more. Its idle connections are
  // closed, and the next call connects anew.
  void suspect(std::string_view key) { nodes().suspect(key); }

 private:
  struct Call;  // one run()
  // The nodes as this process knows them. A child of fork() learns them anew: threads of its parent
  // may have been in the middle of learning them.
  struct Known {
    std::mutex mutex{};
    std::unique_ptr<Nodes> nodes{};
  };

  Nodes& nodes();
  void try_once(Call& call);
  bool may_retry(Call& call);
  bool follow(Call& call);
  bool is_believed(Call& call);
  bool may_ask_anew(Call& call);
  static void pause(Call& call, const char* doing);

  const Location location_;
  const std::unique_ptr<const TlsSettings> tls_;
  PerProcess<Known> known_;
};

// A reply that is no error. Throws RefusedError otherwise.
const Reply& require_done(const Reply& reply, const Location& location);

}  // namespace bloomery::redis
