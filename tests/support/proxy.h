// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>
#include <sys/un.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <random>
#include <string>

#include "tests/support/fake_server.h"

namespace bloomery::testing {

// Stands between a client and the Unix socket of a server.
class Proxy {
 public:
  // Changes bytes on their way to the client; false cuts the connection.
  using Change = std::function<bool(std::string& bytes, std::mt19937& random)>;
  // Called before each 16 KiB that go to the server, which has done by then what came before.
  using Before = std::function<void()>;

  Proxy(std::string socket, Change change, Before before = {})
      : socket_(std::move(socket)),
        change_(std::move(change)),
        before_(std::move(before)),
        server_([this](int file, const std::atomic<bool>& over) { carry(file, over); }) {}

  std::uint16_t port() const noexcept { return server_.port(); }
  int connections() const noexcept { return server_.connections(); }

 private:
  int connect_to_server() const {
    const int file = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    socket_.copy(name.sun_path, sizeof name.sun_path - 1);
    if (connect(file, reinterpret_cast<const sockaddr*>(&name), sizeof name) != 0) {
      close(file);
      return -1;
    }
    return file;
  }

  static bool send_all(int file, std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = send(file, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  // Sends as much at once as a server reads, and then waits for what the server says of that.
  bool send_slowly(int client, int server, std::string_view bytes) const {
    constexpr std::size_t kReadAtOnce = 16 * 1024;
    std::string said(1024 * 1024, '\0');
    for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), kReadAtOnce))) {
      before_();
      if (!send_all(server, bytes.substr(0, kReadAtOnce))) return false;
      pollfd one{server, POLLIN, 0};
      for (int patience = 1000; poll(&one, 1, patience) > 0; patience = 2) {
        const ssize_t came = recv(server, said.data(), said.size(), 0);
        if (came <= 0) return false;
        const std::string_view all(said);
        if (!send_all(client, all.substr(0, static_cast<std::size_t>(came)))) return false;
      }
    }
    return true;
  }

  void carry(int client, const std::atomic<bool>& over) {
    const int server = connect_to_server();
    if (server < 0) return;
    std::mt19937 random(seed_++);
    std::string bytes(64 * 1024, '\0');
    bool goes_on = true;
    while (goes_on && !over) {
      pollfd both[]{{client, POLLIN, 0}, {server, POLLIN, 0}};
      if (poll(both, 2, 10) <= 0) continue;
      for (const pollfd& each : both) {
        if (each.revents == 0) continue;
        const ssize_t came = recv(each.fd, bytes.data(), bytes.size(), 0);
        if (came <= 0) goes_on = false;
        if (!goes_on) break;
        std::string part = bytes.substr(0, static_cast<std::size_t>(came));
        if (each.fd == server) goes_on = change_(part, random);
        const bool is_slow = each.fd == client && before_;
        const bool is_sent = is_slow ? send_slowly(client, server, part)
                                     : send_all(each.fd == server ? client : server, part);
        goes_on = is_sent && goes_on;
      }
    }
    close(server);
  }

  std::string socket_;
  Change change_;
  Before before_;
  std::atomic<unsigned> seed_ = 1;
  FakeServer server_;
};

}  // namespace bloomery::testing
