// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <random>
#include <stdexcept>

namespace bloomery::testing {

// A socket that listens at a port of the loopback that nobody had; 0: any.
class Listener {
 public:
  explicit Listener(std::uint16_t wanted = 0)
      : file_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(wanted);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const raw = reinterpret_cast<sockaddr*>(&address);
    if (bind(file_, raw, size) != 0 || listen(file_, 64) != 0 ||
        getsockname(file_, raw, &size) != 0) {
      close(file_);
      throw std::runtime_error("no port of the loopback");
    }
    port_ = ntohs(address.sin_port);
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  ~Listener() { close(file_); }

  int file() const noexcept { return file_; }
  std::uint16_t port() const noexcept { return port_; }

 private:
  int file_;
  std::uint16_t port_ = 0;
};

// Returns a port at which nobody listens, of those that no system gives to whoever wants any: a
// connection, or another test, would take it before its server does.
inline std::uint16_t unused_port() {
  thread_local std::mt19937 random{std::random_device{}()};
  std::uniform_int_distribution<std::uint16_t> some(10'000, 32'000);
  for (int i = 0; i < 1000; ++i) {
    try {
      return Listener(some(random)).port();
    } catch (const std::runtime_error&) {
    }
  }
  throw std::runtime_error("no port of the loopback");
}

}  // namespace bloomery::testing
