// SPDX-License-Identifier: Apache-2.0
// Connections to a real server.

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bloomery/redis/client/client.h"
#include "tests/store/scratch_folder.h"
#include "tests/support/redis_server.h"
#include "tests/support/unused_port.h"

namespace bloomery::redis {
namespace {

using testing::RedisServer;

class ServerConnection : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!RedisServer::is_installed()) GTEST_SKIP() << "no redis-server here";
    server_ = std::make_unique<RedisServer>(
        folder_.path().string(), std::vector<std::string>{"--port", std::to_string(port_)});
  }

  std::string at_port(const std::string& rest) const {
    return "127.0.0.1:" + std::to_string(port_) + rest;
  }
  std::string at_socket(const std::string& rest) const {
    return "redis+unix://" + server_->socket() + rest;
  }

  testing::ScratchFolder folder_;
  std::uint16_t port_ = testing::unused_port();
  std::unique_ptr<RedisServer> server_{};
};

Reply one(const std::string& location, std::initializer_list<std::string_view> words) {
  Client client(parse_location(location));
  const Reply reply = client.run(Request().add(words), Repeat::never).replies.at(0);
  return require_done(reply, client.location());
}

TEST_F(ServerConnection, ReachesAServerByAddressNameAndSocket) {
  for (const std::string& location : {"redis://" + at_port("#k"), at_socket("#k"),
                                      "redis://localhost:" + std::to_string(port_) + "#k"}) {
    EXPECT_TRUE(one(location, {"PING"}).is_status("PONG")) << location;
  }
}

TEST_F(ServerConnection, ChoosesTheDatabaseAndSaysItsName) {
  one("redis://" + at_port("/3#k"), {"SET", "k", "v"});
  EXPECT_EQ(one(at_socket("?db=3#k"), {"GET", "k"}).text, "v");
  EXPECT_TRUE(one(at_socket("#k"), {"GET", "k"}).is(Reply::Type::nil));
  EXPECT_EQ(one(at_socket("?client_name=me#k"), {"CLIENT", "GETNAME"}).text, "me");
  EXPECT_THROW(one(at_socket("?db=99#k"), {"PING"}), RefusedError);
}

TEST_F(ServerConnection, SaysWhoItIs) {
  server_->ask("ACL SETUSER app on '>se cret' '~k*' +get");
  server_->ask("CONFIG SET requirepass master");
  EXPECT_TRUE(one("redis://app:se%20cret@" + at_port("#k"), {"GET", "k"}).is(Reply::Type::nil));
  EXPECT_TRUE(one("redis://:master@" + at_port("#k"), {"PING"}).is_status("PONG"));
  const auto refused = [&](const std::string& location) {
    try {
      one(location, {"GET", "x"});
    } catch (const RefusedError& error) {
      EXPECT_EQ(std::string(error.what()).find("cret"), std::string::npos) << error.what();
      return error.refusal;
    }
    ADD_FAILURE() << location;
    return Refusal::other;
  };
  EXPECT_EQ(refused("redis://app:other_secret@" + at_port("#k")), Refusal::not_authenticated);
  EXPECT_EQ(refused("redis://" + at_port("#k")), Refusal::not_authenticated);
  EXPECT_EQ(refused("redis://app:se%20cret@" + at_port("#k")), Refusal::no_permission);
}

TEST_F(ServerConnection, ManyCommandsAreOneTripAndMayBeLarge) {
  Client client(parse_location(at_socket("?timeout=60000#k")));
  const std::string large(1 << 20, 'x');
  Request request;
  for (int i = 0; i < 40; ++i) request.add({"ECHO", large});
  const auto replies = client.run(request, Repeat::never).replies;
  ASSERT_EQ(replies.size(), 40U);
  for (const Reply& reply : replies) EXPECT_EQ(reply.text, large);
}

TEST_F(ServerConnection, ThreadsShareAFewConnections) {
  Client client(parse_location(at_socket("?connections=3#k")));
  std::vector<std::thread> threads;
  for (int t = 0; t < 16; ++t) {
    threads.emplace_back([&, t] {
      const std::string key = "k" + std::to_string(t);
      for (int i = 0; i < 50; ++i) {
        const std::string value = std::to_string(i);
        Request request;
        request.add({"SET", key, value}).add({"GET", key});
        EXPECT_EQ(client.run(request, Repeat::safe).replies.at(1).text, value);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const std::string info = server_->ask("INFO stats");
  const std::size_t at = info.find("total_connections_received:");
  ASSERT_NE(at, std::string::npos);
  // redis-cli's own, as the server started, are among them.
  EXPECT_LE(std::stoi(info.substr(at + 27)), 10);
}

TEST_F(ServerConnection, AnErrorLeavesTheConnectionAsGoodAsItWas) {
  Client client(parse_location(at_socket("#k")));
  Request request;
  request.add({"SET", "k", "v"}).add({"LPUSH", "k", "x"}).add({"GET", "k"});
  const auto replies = client.run(request, Repeat::never).replies;
  EXPECT_TRUE(replies[1].is(Reply::Type::error));
  EXPECT_EQ(replies[2].text, "v");
  EXPECT_EQ(client.run(Request().add({"GET", "k"}), Repeat::never).replies[0].text, "v");
}

TEST_F(ServerConnection, ComesBackAfterTheServer) {
  Client client(parse_location(at_socket("#k")));
  const Request ping = Request().add({"PING"});
  client.run(ping, Repeat::never);
  server_->end(SIGKILL);
  for (int i = 0; i < 5; ++i) EXPECT_THROW(client.run(ping, Repeat::safe), ConnectionError);
  server_ = nullptr;
  server_ = std::make_unique<RedisServer>(folder_.path().string());
  std::this_thread::sleep_for(BackOff::kLongest);
  EXPECT_TRUE(client.run(ping, Repeat::never).replies.at(0).is_status("PONG"));
}

TEST_F(ServerConnection, AFrozenServerIsAnErrorWithinTheDeadline) {
  Client client(parse_location(at_socket("?timeout=60000#k")));
  server_->ask("CLIENT PAUSE 60000");
  EXPECT_THROW(client.run(Request().add({"GET", "k"}), Repeat::safe,
                          CallContext::within(std::chrono::milliseconds(50))),
               CallAborted);
  std::stop_source stop;
  const std::jthread stopper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop.request_stop();
  });
  EXPECT_THROW(client.run(Request().add({"GET", "k"}), Repeat::safe, {.stop = stop.get_token()}),
               CallAborted);
}

}  // namespace
}  // namespace bloomery::redis
