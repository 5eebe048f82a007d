// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bloomery::module_bench {

using Words = std::vector<std::string>;

// Appends a command as it goes over the wire.
void append_command(std::string& out, const Words& words);

// One client of a server on the loopback, which does as little as it can. Every failure throws
// std::runtime_error, also a server that says nothing for ten minutes.
class Connection {
 public:
  explicit Connection(std::uint16_t port);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  // Sends requests and takes replies that have, together, so many bytes. They stay until the next
  // call.
  std::string_view exchange(std::string_view requests, std::size_t reply_bytes);

  // One command, and its whole reply as it came. Throws for an error.
  std::string ask(const Words& words);
  // Sends one command as ask() does, but returns an error as any other reply.
  std::string reply_to(const Words& words);

 private:
  void send_all(std::string_view bytes);
  void fill();
  std::size_t end_of_reply(std::size_t from);
  std::size_t end_of_line(std::size_t from);

  int socket_;
  std::vector<char> replies_;
  std::size_t received_ = 0;
};

}  // namespace bloomery::module_bench
