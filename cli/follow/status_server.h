// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <thread>

namespace bloomery::cli {

// The answer to a request for a path. Requests other than GET and HEAD get 404.
struct StatusAnswer {
  int status = 200;  // 200, 404 or 503
  std::string text{};
};

// Answers HTTP/1.0 for programs that watch this one, on a thread of its own: a few at a time, short
// requests, and each connection for some seconds at most, so that slow and hostile clients cost
// nobody anything. No TLS and no password: it belongs on the loopback or behind what has them.
class StatusServer {
 public:
  using Answerer = std::function<StatusAnswer(std::string_view path)>;

  // `address` is HOST:PORT, [HOST]:PORT or PORT, with numbers for the host, 127.0.0.1 where none is
  // said; port 0 is any that is free. Throws std::invalid_argument for what is none, StoreError
  // where it cannot be listened at.
  StatusServer(const std::string& address, Answerer answer);
  ~StatusServer();
  StatusServer(const StatusServer&) = delete;
  StatusServer& operator=(const StatusServer&) = delete;

  // Returns the address it listens at, as HOST:PORT.
  const std::string& address() const noexcept { return address_; }

 private:
  void serve(std::stop_token stop);

  const Answerer answer_;
  int listener_ = -1;
  std::string address_;
  std::jthread thread_;
};

}  // namespace bloomery::cli
