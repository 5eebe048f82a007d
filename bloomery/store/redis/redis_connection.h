#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "bloomery/store/redis/redis_location.h"

struct redisContext;

namespace bloomery {

// What a server answered: a text or a number.
struct RedisReply {
  bool is_error = false;
  std::string text;
  std::int64_t number = 0;
};

// One connection to a server. Every call is bounded by the time-out; a connection that failed once
// is of no more use. Throws StoreError, which names the server and never a password. One thread at
// a time.
class RedisConnection {
 public:
  // Connects, says who it is and chooses the database.
  RedisConnection(const RedisLocation& location, std::chrono::milliseconds timeout);

  // Sends, and does not wait: as many replies are then to be taken.
  void send(std::span<const std::string_view> words);
  RedisReply receive();
  // Both. A reply that is an error is a StoreError.
  RedisReply call(std::span<const std::string_view> words);

  // A StoreError of this server.
  [[noreturn]] void fail(const std::string& reason) const;

 private:
  struct Close {
    void operator()(redisContext* context) const noexcept;
  };

  std::string server_;
  std::unique_ptr<redisContext, Close> context_;
};

}  // namespace bloomery
