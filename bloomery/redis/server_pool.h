#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "bloomery/filter/back_off.h"
#include "bloomery/redis/connection.h"
#include "bloomery/redis/deadline.h"
#include "bloomery/redis/location.h"
#include "bloomery/redis/tls.h"

namespace bloomery::redis {

// The connections to one server: made when they are needed, kept, and closed when anything went
// wrong on them. Many threads may use it.
class ServerPool {
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
    std::unique_ptr<Connection> connection_{};
  };

  // `tls`: null for none; outlives this.
  ServerPool(Location location, const TlsSettings* tls);

  const Location& location() const noexcept { return location_; }

  // Those that wait were made as early as one that failed, and have most likely gone with it.
  void drop_idle();

 private:
  void take_place(Deadline& deadline);
  std::unique_ptr<Connection> take_idle();
  std::unique_ptr<Connection> connect(Deadline& deadline);

  const Location location_;
  const TlsSettings* const tls_;
  BackOff back_off_;
  std::mutex mutex_;
  std::condition_variable_any freed_;
  std::uint32_t taken_ = 0;
  std::vector<std::unique_ptr<Connection>> idle_;
};

}  // namespace bloomery::redis
