// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "bloomery/redis/client/deadline.h"
#include "bloomery/redis/client/location.h"
#include "bloomery/redis/client/socket.h"
#include "bloomery/redis/client/tls.h"

namespace bloomery::redis {

// Bytes to a server and back, over TLS or not. Nothing in it waits but the constructor. Throws
// ConnectionError; after that it is of no more use.
class Channel {
 public:
  // `tls`: null for none.
  Channel(const Location& location, const TlsSettings* tls, Deadline& deadline);

  int file() const noexcept { return socket_.file(); }

  // How many of the bytes were taken; of those some may wait until flush() is rid of them.
  std::size_t send_some(std::string_view bytes);
  // Sends what waits, and returns whether all that was taken has left.
  bool flush();
  // How many bytes came; 0 where none are there now.
  std::size_t receive_some(std::span<char> bytes);
  bool has_news() const noexcept { return socket_.has_news(); }

 private:
  // Fetches what has arrived, and returns whether anything came.
  bool fetch();

  Socket socket_;
  std::optional<TlsSession> tls_;
};

}  // namespace bloomery::redis
