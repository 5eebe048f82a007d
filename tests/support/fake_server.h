// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>

#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/unused_port.h"

namespace bloomery::testing {

// A server of the loopback that says what a test wants, a thread for each connection.
class FakeServer {
 public:
  // Serves one connection, whose file is closed afterwards. It ends when the other side does, or
  // soon after `over` is set.
  using Talk = std::function<void(int file, const std::atomic<bool>& over)>;

  explicit FakeServer(Talk talk) : talk_(std::move(talk)), acceptor_([this] { accept_all(); }) {}
  // Waits for a command, says this, and then waits for the end of the connection.
  static Talk saying(std::string bytes) {
    return [bytes](int file, const std::atomic<bool>& over) {
      if (!wait_for_bytes(file, over)) return;
      if (send(file, bytes.data(), bytes.size(), MSG_NOSIGNAL) < 0) return;
      while (wait_for_bytes(file, over)) {
      }
    };
  }
  FakeServer(const FakeServer&) = delete;
  FakeServer& operator=(const FakeServer&) = delete;
  ~FakeServer() {
    over_ = true;
    acceptor_.join();
    for (std::thread& each : talkers_) each.join();
  }

  std::uint16_t port() const noexcept { return listener_.port(); }
  int connections() const noexcept { return connections_; }

  // False when the connection ended. What came is dropped.
  static bool wait_for_bytes(int file, const std::atomic<bool>& over) {
    char bytes[4096];
    while (!over) {
      pollfd one{file, POLLIN, 0};
      if (poll(&one, 1, 10) > 0) return recv(file, bytes, sizeof bytes, 0) > 0;
    }
    return false;
  }

 private:
  void accept_all() {
    while (!over_) {
      pollfd one{listener_.file(), POLLIN, 0};
      if (poll(&one, 1, 10) <= 0) continue;
      const int file = accept(listener_.file(), nullptr, nullptr);
      if (file < 0) continue;
      ++connections_;
      talkers_.emplace_back([this, file] {
        talk_(file, over_);
        close(file);
      });
    }
  }

  Talk talk_;
  Listener listener_{};
  std::atomic<bool> over_ = false;
  std::atomic<int> connections_ = 0;
  std::vector<std::thread> talkers_{};
  std::thread acceptor_;
};

}  // namespace bloomery::testing
