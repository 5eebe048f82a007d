// SPDX-License-Identifier: Apache-2.0
#include "cli/follow/status_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include "bloomery/errors.h"
#include "bloomery/text/printable.h"

namespace bloomery::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostConnections = 16;
constexpr std::size_t kLongestRequest = 4096;
constexpr std::chrono::seconds kLongestVisit{5};
constexpr int kTickMs = 100;

struct Visit {
  int socket = -1;
  Clock::time_point until{};
  std::string request{};
  std::string reply{};
  bool is_over = false;
};

union Address {
  sockaddr any;
  sockaddr_in four;
  sockaddr_in6 six;
};

[[noreturn]] void refuse_address(const std::string& text) {
  throw std::invalid_argument("--metrics " + printable(text) +
                              ": no address; allowed: HOST:PORT with a host in numbers, "
                              "[HOST]:PORT, or PORT for 127.0.0.1");
}

socklen_t read_address(const std::string& text, Address& address) {
  const std::size_t colon = text.rfind(':');
  std::string host = colon == std::string::npos ? "127.0.0.1" : text.substr(0, colon);
  const std::string port_text = colon == std::string::npos ? text : text.substr(colon + 1);
  std::uint16_t port = 0;
  const char* const end = port_text.data() + port_text.size();
  const auto read = std::from_chars(port_text.data(), end, port);
  if (port_text.empty() || read.ec != std::errc() || read.ptr != end) refuse_address(text);
  std::memset(&address, 0, sizeof address);
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
    address.six.sin6_family = AF_INET6;
    address.six.sin6_port = htons(port);
    if (inet_pton(AF_INET6, host.c_str(), &address.six.sin6_addr) != 1) refuse_address(text);
    return sizeof address.six;
  }
  address.four.sin_family = AF_INET;
  address.four.sin_port = htons(port);
  if (inet_pton(AF_INET, host.c_str(), &address.four.sin_addr) != 1) refuse_address(text);
  return sizeof address.four;
}

std::string text_of(const Address& address) {
  char host[INET6_ADDRSTRLEN] = "";
  const bool is_six = address.any.sa_family == AF_INET6;
  const void* const bytes = is_six ? static_cast<const void*>(&address.six.sin6_addr)
                                   : static_cast<const void*>(&address.four.sin_addr);
  inet_ntop(address.any.sa_family, bytes, host, sizeof host);
  const int port = ntohs(is_six ? address.six.sin6_port : address.four.sin_port);
  const std::string name = is_six ? "[" + std::string(host) + "]" : host;
  return name + ":" + std::to_string(port);
}

std::string reply_of(const std::string& request, const StatusServer::Answerer& answer) {
  StatusAnswer said{.status = 404, .text = "only GET and HEAD are answered here\n"};
  const std::string_view line = std::string_view(request).substr(0, request.find_first_of("\r\n"));
  const bool wants_head = line.starts_with("HEAD ");
  if (wants_head || line.starts_with("GET ")) {
    const std::string_view rest = line.substr(line.find(' ') + 1);
    said = answer(rest.substr(0, rest.find_first_of(" ?")));
  }
  const std::string reason = said.status == 200   ? "200 OK"
                             : said.status == 503 ? "503 Service Unavailable"
                                                  : "404 Not Found";
  return "HTTP/1.0 " + reason +
         "\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\nCache-Control: "
         "no-store\r\n" +
         "Content-Length: " + std::to_string(said.text.size()) + "\r\nConnection: close\r\n\r\n" +
         (wants_head ? std::string() : said.text);
}

// Does what can be done without waiting.
void go_on(Visit& visit, const StatusServer::Answerer& answer) {
  if (visit.reply.empty()) {
    char piece[1024];
    const ssize_t count = ::recv(visit.socket, piece, sizeof piece, MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count > 0) visit.request.append(piece, static_cast<std::size_t>(count));
    const bool is_whole = visit.request.find("\r\n\r\n") != std::string::npos ||
                          visit.request.find("\n\n") != std::string::npos;
    visit.is_over = count <= 0 || (!is_whole && visit.request.size() > kLongestRequest);
    if (visit.is_over || !is_whole) return;
    visit.reply = reply_of(visit.request, answer);
  }
  const ssize_t sent =
      ::send(visit.socket, visit.reply.data(), visit.reply.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent < 0) {
    visit.is_over = errno != EAGAIN && errno != EINTR;
    return;
  }
  visit.reply.erase(0, static_cast<std::size_t>(sent));
  visit.is_over = visit.reply.empty();
}

}  // namespace

StatusServer::StatusServer(const std::string& address, Answerer answer)
    : answer_(std::move(answer)) {
  Address wanted;
  socklen_t size = read_address(address, wanted);
  listener_ = socket(wanted.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const int on = 1;
  const bool listens = listener_ >= 0 &&
                       setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
                       bind(listener_, &wanted.any, size) == 0 && listen(listener_, 16) == 0 &&
                       getsockname(listener_, &wanted.any, &size) == 0;
  if (!listens) {
    const std::string why = std::generic_category().message(errno);
    if (listener_ >= 0) close(listener_);
    throw StoreError("--metrics " + address + ": cannot be listened at: " + why);
  }
  address_ = text_of(wanted);
  thread_ = std::jthread([this](std::stop_token stop) { serve(stop); });
}

StatusServer::~StatusServer() {
  thread_.request_stop();
  thread_.join();
  close(listener_);
}

void StatusServer::serve(std::stop_token stop) {
  std::vector<Visit> visits;
  while (!stop.stop_requested()) {
    std::vector<pollfd> waited;
    for (const Visit& visit : visits) {
      const bool writes = !visit.reply.empty();
      waited.push_back({visit.socket, static_cast<short>(writes ? POLLOUT : POLLIN), 0});
    }
    waited.push_back({listener_, POLLIN, 0});
    ::poll(waited.data(), waited.size(), kTickMs);
    const auto now = Clock::now();
    for (std::size_t i = 0; i < visits.size(); ++i) {
      if (waited[i].revents != 0) go_on(visits[i], answer_);
      if (now >= visits[i].until) visits[i].is_over = true;
      if (visits[i].is_over) close(visits[i].socket);
    }
    std::erase_if(visits, [](const Visit& visit) { return visit.is_over; });
    const int accepted = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (accepted < 0) continue;
    // The oldest connection makes room: where there are many, it is a slow one.
    if (visits.size() == kMostConnections) {
      close(visits.front().socket);
      visits.erase(visits.begin());
    }
    visits.push_back({.socket = accepted, .until = now + kLongestVisit});
  }
  for (const Visit& visit : visits) close(visit.socket);
}

}  // namespace bloomery::cli
