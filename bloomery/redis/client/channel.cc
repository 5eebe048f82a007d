// SPDX-License-Identifier: Apache-2.0
#include "bloomery/redis/client/channel.h"

#include <poll.h>

#include <algorithm>

namespace bloomery::redis {
namespace {

constexpr std::size_t kPiece = 16 * 1024;

}  // namespace

Channel::Channel(const Location& location, const TlsSettings* tls, Deadline& deadline)
    : socket_(location, deadline) {
  if (tls == nullptr) return;
  constexpr const char* kDoing = "shaking hands for TLS";
  tls_.emplace(*tls, location);
  for (;;) {
    const bool done = tls_->shake_hands();
    while (!flush()) deadline.wait_for(file(), POLLOUT, kDoing);
    if (done) return;
    while (!fetch()) deadline.wait_for(file(), POLLIN, kDoing);
  }
}

std::size_t Channel::send_some(std::string_view bytes) {
  if (!tls_) return socket_.send_some(bytes);
  if (!flush()) return 0;
  const std::size_t taken = tls_->write(bytes.substr(0, kPiece));
  flush();
  return taken;
}

bool Channel::flush() {
  while (tls_ && !tls_->leaving().empty()) {
    const std::size_t sent = socket_.send_some(tls_->leaving());
    if (sent == 0) return false;
    tls_->drop_left(sent);
  }
  return true;
}

std::size_t Channel::receive_some(std::span<char> bytes) {
  if (!tls_) return socket_.receive_some(bytes);
  for (;;) {
    if (const std::size_t came = tls_->read(bytes)) return came;
    flush();  // reading may have made an answer of TLS's own
    if (!fetch()) return 0;
  }
}

bool Channel::fetch() {
  char bytes[kPiece];
  const std::size_t came = socket_.receive_some(bytes);
  if (came > 0) tls_->take_arrived({bytes, came});
  return came > 0;
}

}  // namespace bloomery::redis
