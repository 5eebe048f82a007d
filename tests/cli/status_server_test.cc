// SPDX-License-Identifier: Apache-2.0
#include "cli/follow/status_server.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace bloomery::cli {
namespace {

class Visitor {
 public:
  explicit Visitor(const std::string& address) {
    const int port = std::stoi(address.substr(address.rfind(':') + 1));
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(port));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socket_ = socket(AF_INET, SOCK_STREAM, 0);
    EXPECT_EQ(connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
  }
  ~Visitor() { close(socket_); }
  Visitor(const Visitor&) = delete;
  Visitor& operator=(const Visitor&) = delete;

  void say(const std::string& text) const {
    EXPECT_EQ(::send(socket_, text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
  }
  // All until the other side closes.
  std::string hear() const {
    std::string all;
    char piece[1024];
    for (ssize_t count; (count = recv(socket_, piece, sizeof piece, 0)) > 0;) {
      all.append(piece, static_cast<std::size_t>(count));
    }
    return all;
  }

 private:
  int socket_ = -1;
};

StatusAnswer echo(std::string_view path) {
  if (path == "/away") return {.status = 503, .text = "away\n"};
  return {.status = path == "/" ? 404 : 200, .text = std::string(path)};
}

TEST(StatusServer, AnswersPaths) {
  const StatusServer server("0", echo);
  const auto ask = [&](const std::string& request) {
    const Visitor visitor(server.address());
    visitor.say(request);
    return visitor.hear();
  };
  EXPECT_TRUE(ask("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n").starts_with("HTTP/1.0 200 OK\r\n"));
  EXPECT_TRUE(ask("GET /metrics?x=1 HTTP/1.0\r\n\r\n").ends_with("\r\n\r\n/metrics"));
  EXPECT_TRUE(ask("GET /away HTTP/1.0\n\n").starts_with("HTTP/1.0 503 "));
  const std::string head = ask("HEAD /away HTTP/1.0\r\n\r\n");
  EXPECT_TRUE(head.starts_with("HTTP/1.0 503 "));
  EXPECT_TRUE(head.ends_with("\r\nContent-Length: 5\r\nConnection: close\r\n\r\n"));
  EXPECT_TRUE(ask("POST /metrics HTTP/1.0\r\n\r\n").starts_with("HTTP/1.0 404 "));
  EXPECT_TRUE(ask("\r\n\r\n").starts_with("HTTP/1.0 404 "));
  EXPECT_EQ(ask(std::string(10'000, 'x')), "");
}

TEST(StatusServer, SlowClientsHarmNobody) {
  const StatusServer server("127.0.0.1:0", echo);
  std::vector<std::unique_ptr<Visitor>> slow;
  for (int i = 0; i < 8; ++i) {
    slow.push_back(std::make_unique<Visitor>(server.address()));
    slow.back()->say("GET /slow");
  }
  const Visitor quick(server.address());
  quick.say("GET /quick HTTP/1.0\r\n\r\n");
  EXPECT_TRUE(quick.hear().ends_with("/quick"));
}

TEST(StatusServer, RefusesWhatIsNoAddress) {
  for (const std::string each : {"", "x", "1.2.3:80", "127.0.0.1:", "127.0.0.1:65536", "::1:80x"}) {
    EXPECT_THROW(StatusServer(each, echo), std::invalid_argument) << each;
  }
}

}  // namespace
}  // namespace bloomery::cli
