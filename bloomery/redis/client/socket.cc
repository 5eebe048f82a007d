// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/client/socket.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "bloomery/redis/client/server_errors.h"

namespace bloomery::redis {
namespace {

using Clock = CallContext::Clock;

std::string text_of(int error) {
  return std::generic_category().message(error);
}

bool is_for_later() noexcept {
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

void set_options(int file, int family) noexcept {
  const int on = 1;
  setsockopt(file, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  if (family != AF_UNIX) setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

}  // namespace

Socket::Socket(const Location& location, Deadline& deadline) : server_(location.server()) {
  const auto addresses = addresses_of(location, deadline);
  std::string why;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    // None of them may use up the time of those behind it.
    const auto left = deadline.at() - Clock::now();
    const auto until = Clock::now() + left / static_cast<int>(addresses.size() - i);
    try {
      if (connect_to(addresses[i], deadline, until, why)) return;
    } catch (...) {
      close();
      throw;
    }
    close();
  }
  deadline.check("connecting");
  throw ConnectionError(server_ + ": cannot connect: " + why);
}

Socket::~Socket() {
  close();
}

void Socket::close() noexcept {
  unshared_.reset();  // before another file has the number
  if (file_ >= 0) ::close(file_);
  file_ = -1;
}

bool Socket::connect_to(const Address& address, Deadline& deadline, Clock::time_point until,
                        std::string& why) {
  const int family = address.bytes.ss_family;
  file_ = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (file_ < 0) {
    why = text_of(errno);
    return false;
  }
  unshared_.emplace(file_);
  set_options(file_, family);
  const auto* const to = reinterpret_cast<const sockaddr*>(&address.bytes);
  if (connect(file_, to, address.size) == 0) return true;
  // A Unix socket whose queue is full says EAGAIN: it has none to wait in.
  if (errno != EINPROGRESS && errno != EINTR) {
    why = text_of(errno);
    return false;
  }
  if (!deadline.wait_for(file_, POLLOUT, "connecting", until)) {
    why = "it does not answer";
    return false;
  }
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(file_, SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) why = text_of(error);
  return error == 0;
}

std::size_t Socket::send_some(std::string_view bytes) {
  const ssize_t sent = send(file_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  if (sent >= 0) return static_cast<std::size_t>(sent);
  if (is_for_later()) return 0;
  throw ConnectionError(server_ + ": cannot send: " + text_of(errno));
}

std::size_t Socket::receive_some(std::span<char> bytes) {
  const ssize_t came = recv(file_, bytes.data(), bytes.size(), 0);
  if (came > 0) return static_cast<std::size_t>(came);
  if (came == 0) throw ConnectionError(server_ + ": the server ended the connection");
  if (is_for_later()) return 0;
  throw ConnectionError(server_ + ": the connection is lost: " + text_of(errno));
}

bool Socket::has_news() const noexcept {
  pollfd one{file_, POLLIN | POLLRDHUP, 0};
  return poll(&one, 1, 0) != 0;
}

}  // namespace bloomery::redis
