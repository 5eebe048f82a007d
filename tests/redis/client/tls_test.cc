// SPDX-License-Identifier: Apache-2.0
// TLS with a real server, and with one that speaks none.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bloomery/redis/client/client.h"
#include "tests/store/scratch_folder.h"
#include "tests/support/fake_server.h"
#include "tests/support/redis_server.h"
#include "tests/support/test_certificates.h"
#include "tests/support/unused_port.h"

namespace bloomery::redis {
namespace {

using testing::FakeServer;
using testing::RedisServer;
using testing::TestCertificates;

class TlsConnection : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!RedisServer::is_installed() || !TestCertificates::is_possible()) {
      GTEST_SKIP() << "no redis-server or no openssl here";
    }
    files_ = std::make_unique<TestCertificates>(folder_.path().string());
  }

  void start(const std::string& clients_must_have_certificates) {
    server_ = std::make_unique<RedisServer>(
        folder_.path().string(),
        std::vector<std::string>{"--tls-port", std::to_string(port_), "--tls-cert-file",
                                 *files_ / "server.pem", "--tls-key-file", *files_ / "server.key",
                                 "--tls-ca-cert-file", *files_ / "ca.pem", "--tls-auth-clients",
                                 clients_must_have_certificates});
  }

  std::string at(const std::string& host, const std::string& settings) const {
    return "rediss://" + host + ":" + std::to_string(port_) + "?timeout=60000&" + settings + "#k";
  }
  std::string with_ca() const { return "ca=" + *files_ / "ca.pem"; }

  static Reply ping(const std::string& location) {
    Client client(parse_location(location));
    return client.run(Request().add({"PING"}), Repeat::safe).replies.at(0);
  }
  // Why there is no connection.
  static std::string refusal(const std::string& location) {
    try {
      ping(location);
    } catch (const ConnectionError& error) {
      return error.what();
    }
    return {};
  }

  testing::ScratchFolder folder_;
  std::uint16_t port_ = testing::unused_port();
  std::unique_ptr<TestCertificates> files_{};
  std::unique_ptr<RedisServer> server_{};
};

TEST_F(TlsConnection, IsMadeToAServerThatProvesWhoItIs) {
  start("no");
  for (const char* host : {"localhost", "127.0.0.1"}) {
    EXPECT_TRUE(ping(at(host, with_ca())).is_status("PONG")) << host;
  }
  Client client(parse_location(at("localhost", with_ca())));
  const std::string large(1 << 20, 'x');
  Request request;
  for (int i = 0; i < 10; ++i) request.add({"ECHO", large});
  for (const Reply& reply : client.run(request, Repeat::safe).replies) {
    EXPECT_EQ(reply.text, large);
  }
}

TEST_F(TlsConnection, IsRefusedToAServerThatDoesNot) {
  start("no");
  EXPECT_NE(refusal(at("localhost", "ca=" + *files_ / "stranger.pem")), "");
  EXPECT_NE(refusal(at("localhost", "client_name=x")), "") << "this machine does not trust it";
  const std::string wrong_name = refusal(at("localhost", with_ca() + "&server_name=other.example"));
  EXPECT_NE(wrong_name.find("certificate"), std::string::npos) << wrong_name;
  EXPECT_NE(refusal(at("127.0.0.1", with_ca() + "&server_name=127.0.0.2")), "");
  EXPECT_TRUE(ping(at("127.0.0.1", with_ca() + "&server_name=localhost")).is_status("PONG"));
  EXPECT_TRUE(ping(at("localhost", "insecure_skip_verify=1")).is_status("PONG"));
}

TEST_F(TlsConnection, ShowsItsCertificate) {
  start("yes");
  EXPECT_NE(refusal(at("localhost", with_ca())), "");
  const std::string mine =
      "&cert=" + *files_ / "client.pem" + "&cert_key=" + *files_ / "client.key";
  EXPECT_TRUE(ping(at("localhost", with_ca() + mine)).is_status("PONG"));
}

TEST_F(TlsConnection, SaysWhichFileIsNone) {
  const auto client = [&](const std::string& settings) {
    Client made(parse_location(at("localhost", settings)));
  };
  EXPECT_THROW(client("ca=/nowhere.pem"), StoreError);
  EXPECT_THROW(client("cert=/nowhere.pem&cert_key=" + *files_ / "client.key"), StoreError);
  EXPECT_THROW(client("cert=" + *files_ / "client.pem" + "&cert_key=" + *files_ / "server.key"),
               StoreError);
}

TEST_F(TlsConnection, AServerThatSpeaksNoneOrNothingIsAnErrorInTime) {
  for (const std::string bytes : {"", "-ERR\r\n", "\x16\x03\x03\xff\xff"}) {
    FakeServer fake(FakeServer::saying(bytes));
    EXPECT_NE(refusal("rediss://127.0.0.1:" + std::to_string(fake.port()) + "?timeout=100#k"), "");
  }
}

}  // namespace
}  // namespace bloomery::redis
