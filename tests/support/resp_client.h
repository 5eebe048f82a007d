// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace bloomery::testing {

// A reply. shown() is its bytes with blanks for line ends: "*2 :1 :0".
struct Reply {
  std::string line{};  // the first, with its mark
  std::string text{};  // of a bulk string
  std::vector<Reply> items{};

  std::string shown() const {
    std::string all = line;
    if (line[0] == '$' && line != "$-1") all += " " + text;
    for (const Reply& each : items) all += " " + each.shown();
    return all;
  }

  // Prints the reply as redis-cli does without a terminal: a line for each value.
  std::string printed() const {
    if (line == "$-1" || line == "*-1" || line == "_") return "\n";
    if (line[0] == '-') return line.substr(1) + "\n\n";
    if (line[0] == '$') return text + "\n";
    std::string all;
    for (const Reply& each : items) all += each.printed();
    return items.empty() ? line.substr(line[0] == '*' ? line.size() : 1) + "\n" : all;
  }
};

// Speaks to a server over its socket, in RESP2 unless HELLO 3 was said.
class Client {
 public:
  explicit Client(const std::string& path) : socket_(::socket(AF_UNIX, SOCK_STREAM, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    if (connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      close(socket_);
      throw std::runtime_error("cannot connect to " + path);
    }
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client() { close(socket_); }

  Reply call(const std::vector<std::string>& words) {
    send_command(words);
    return read_reply();
  }

  // Sends a command. The reply comes after those of the commands before it.
  void send_command(const std::vector<std::string>& words) {
    std::string out = "*" + std::to_string(words.size()) + "\r\n";
    for (const std::string& each : words) {
      out += "$" + std::to_string(each.size()) + "\r\n" + each + "\r\n";
    }
    for (std::size_t at = 0; at < out.size();) {
      const ssize_t count = send(socket_, out.data() + at, out.size() - at, MSG_NOSIGNAL);
      if (count <= 0) throw std::runtime_error("the server went away");
      at += static_cast<std::size_t>(count);
    }
  }

  // Words apart by blanks.
  std::string ask(std::string_view command) { return ask_reply(command).shown(); }
  Reply ask_reply(std::string_view command) {
    std::vector<std::string> words;
    while (!command.empty()) {
      const std::size_t blank = command.find(' ');
      words.emplace_back(command.substr(0, blank));
      command.remove_prefix(blank == std::string_view::npos ? command.size() : blank + 1);
    }
    return call(words);
  }

  // Reads the next reply, also one that nobody asked for.
  Reply read_reply() {
    std::size_t end = 0;
    while ((end = buffer_.find("\r\n")) == std::string::npos) fill();
    Reply reply;
    reply.line = take(end);
    take(2);
    const long count = std::strchr("$*%", reply.line[0]) == nullptr ? 0 : std::stol(&reply.line[1]);
    if (reply.line[0] == '$' && count >= 0) {
      reply.text = take(static_cast<std::size_t>(count));
      take(2);
    } else {
      for (long i = 0; i < (reply.line[0] == '%' ? 2 * count : count); ++i) {
        reply.items.push_back(read_reply());
      }
    }
    return reply;
  }

 private:
  void fill() {
    char piece[65536];
    const ssize_t count = recv(socket_, piece, sizeof piece, 0);
    if (count <= 0) throw std::runtime_error("the server went away");
    buffer_.append(piece, static_cast<std::size_t>(count));
  }
  std::string take(std::size_t count) {
    while (buffer_.size() < count) fill();
    std::string taken = buffer_.substr(0, count);
    buffer_.erase(0, count);
    return taken;
  }
  int socket_;
  std::string buffer_;
};

}  // namespace bloomery::testing
