#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace bloomery {

// A key of a Redis or Valkey server, in one word of a command line:
//   redis://127.0.0.1:6379/0#users
//   redis://user:password@host#users      the port is 6379 unless it is said, the database 0
//   redis://:password@[::1]:7000#users
//   unix:///run/redis.sock#users          a socket of this machine; ?db=1 for another database
// %XX stands for a byte in all parts but the host.
struct RedisLocation {
  std::string host;    // or empty
  std::string socket;  // a path, or empty
  std::uint16_t port = 6379;
  std::string user;
  std::string password;
  std::uint32_t database = 0;
  std::string key;

  // The server, without passwords, for messages.
  std::string server() const;
};

// Throws std::invalid_argument, saying what is allowed.
RedisLocation parse_redis_location(std::string_view text);

}  // namespace bloomery
