// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "bloomery/bits/per_process.h"
#include "bloomery/place/back_off.h"
#include "bloomery/redis/client/connection.h"
#include "bloomery/redis/client/deadline.h"
#include "bloomery/redis/client/location.h"
#include "bloomery/redis/client/tls.h"

namespace bloomery::redis {

// The connections to one server: made when they are needed, kept, and closed when anything went
// wrong on them. Many threads may use it. A child of fork() begins with none: what its parent had
// in use or kept is the parent's.
class ServerPool {
 private:
  struct Kept {
    BackOff back_off{};
    std::mutex mutex{};
    std::condition_variable_any freed{};
    std::uint32_t taken = 0;
    std::vector<std::unique_ptr<Connection>> idle{};
  };

 public:
  // A connection in somebody's hand; given back at the end, if it can be.
  class Lease {
   public:
    // Waits while all are taken. Throws ConnectionError, RefusedError, CallAborted.
    Lease(ServerPool& pool, Deadline& deadline);
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() { give_back(); }

    Connection& operator*() noexcept { return *connection_; }
    Connection* operator->() noexcept { return connection_.get(); }

   private:
    void give_back() noexcept;

    ServerPool& pool_;
    Kept& kept_;
    std::unique_ptr<Connection> connection_{};
  };

  // `tls`: null for none; outlives this.
  ServerPool(Location location, const TlsSettings* tls);

  const Location& location() const noexcept { return location_; }

  // Closes the idle connections: they were made as early as one that failed, and have most likely
  // failed with it.
  void drop_idle();

 private:
  void take_place(Kept& kept, Deadline& deadline) const;
  static std::unique_ptr<Connection> take_idle(Kept& kept);
  std::unique_ptr<Connection> connect(Kept& kept, Deadline& deadline) const;

  const Location location_;
  const TlsSettings* const tls_;
  PerProcess<Kept> kept_;
};

}  // namespace bloomery::redis
