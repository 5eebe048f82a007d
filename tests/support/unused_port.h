#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <stdexcept>

namespace bloomery::testing {

// A socket that listens at a port of the loopback that nobody had.
class Listener {
 public:
  Listener() : file_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const raw = reinterpret_cast<sockaddr*>(&address);
    if (bind(file_, raw, size) != 0 || listen(file_, 64) != 0 ||
        getsockname(file_, raw, &size) != 0) {
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

// One that nobody listens at.
inline std::uint16_t unused_port() {
  return Listener().port();
}

}  // namespace bloomery::testing
