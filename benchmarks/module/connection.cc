// SPDX-License-Identifier: Apache-2.0
#include "benchmarks/module/connection.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace bloomery::module_bench {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;

[[noreturn]] void fail(const char* what) {
  throw std::runtime_error(std::string(what) + ": " + std::strerror(errno));
}

}  // namespace

void append_command(std::string& out, const Words& words) {
  out += "*" + std::to_string(words.size()) + "\r\n";
  for (const std::string& each : words) {
    out += "$" + std::to_string(each.size()) + "\r\n";
    out += each;
    out += "\r\n";
  }
}

Connection::Connection(std::uint16_t port)
    : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), replies_(kPiece) {
  const int yes = 1;
  setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  const timeval patience{.tv_sec = 600, .tv_usec = 0};
  setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    const int reason = errno;
    close(socket_);
    errno = reason;
    fail("cannot connect to the server");
  }
}

Connection::~Connection() {
  close(socket_);
}

void Connection::send_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) fail("cannot send to the server");
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

void Connection::fill() {
  if (received_ == replies_.size()) replies_.resize(2 * received_);
  const ssize_t came = recv(socket_, replies_.data() + received_, replies_.size() - received_, 0);
  if (came <= 0) fail("the server went away");
  received_ += static_cast<std::size_t>(came);
}

std::string_view Connection::exchange(std::string_view requests, std::size_t reply_bytes) {
  received_ = 0;
  send_all(requests);
  while (received_ < reply_bytes) fill();
  const std::string_view replies(replies_.data(), received_);
  if (received_ > reply_bytes || replies[0] == '-') {
    throw std::runtime_error("the server answered " + std::string(replies.substr(0, 100)));
  }
  return replies;
}

std::string Connection::ask(const Words& words) {
  std::string reply = reply_to(words);
  if (reply[0] == '-') throw std::runtime_error(words[0] + ": " + reply.substr(1));
  return reply;
}

std::string Connection::reply_to(const Words& words) {
  std::string request;
  append_command(request, words);
  received_ = 0;
  send_all(request);
  const std::size_t end = end_of_reply(0);
  return std::string(replies_.data(), end);
}

std::size_t Connection::end_of_line(std::size_t from) {
  for (;;) {
    const auto begin = replies_.begin() + static_cast<std::ptrdiff_t>(from);
    const auto end = replies_.begin() + static_cast<std::ptrdiff_t>(received_);
    const auto line_feed = std::find(begin, end, '\n');
    if (line_feed != end) return static_cast<std::size_t>(line_feed - replies_.begin()) + 1;
    fill();
  }
}

std::size_t Connection::end_of_reply(std::size_t from) {
  std::size_t end = end_of_line(from);
  const char mark = replies_[from];
  const long count = std::atol(replies_.data() + from + 1);
  if (mark == '$' && count >= 0) {
    end += static_cast<std::size_t>(count) + 2;
    while (received_ < end) fill();
  }
  for (long i = 0; mark == '*' && i < count; ++i) end = end_of_reply(end);
  return end;
}

}  // namespace bloomery::module_bench
