// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "bloomery/os/own_process.h"
#include "bloomery/redis/client/addresses.h"
#include "bloomery/redis/client/deadline.h"
#include "bloomery/redis/client/location.h"

namespace bloomery::redis {

// A connected socket that never blocks and never raises SIGPIPE. A child of fork() does not
// have it: there it fails. Throws ConnectionError.
class Socket {
 public:
  // Tries the addresses of the host one after another.
  Socket(const Location& location, Deadline& deadline);
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket();

  int file() const noexcept { return file_; }

  // How many bytes the kernel took; 0 where it takes none now.
  std::size_t send_some(std::string_view bytes);
  // How many bytes came; 0 where none are there now. Throws where the other side has ended.
  std::size_t receive_some(std::span<char> bytes);
  // Bytes, or an end, that nobody asked for.
  bool has_news() const noexcept;

 private:
  // False, with `why`, where this address does not answer.
  bool connect_to(const Address& address, Deadline& deadline, CallContext::Clock::time_point until,
                  std::string& why);
  void close() noexcept;

  const std::string server_;
  int file_ = -1;
  std::optional<UnsharedDescriptor> unshared_{};  // of file_
};

}  // namespace bloomery::redis
