// SPDX-License-Identifier: Apache-2.0
// The client where there is no server, or all connections are taken.

#include "bloomery/redis/client/client.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <thread>

#include "tests/support/fake_server.h"
#include "tests/support/unused_port.h"

namespace bloomery::redis {
namespace {

using testing::FakeServer;

Request ping() {
  return Request().add({"PING"});
}

TEST(ClientOfServer, SaysAtOnceWhyThereIsNoServer) {
  const std::string port = std::to_string(testing::unused_port());
  Client client(parse_location("redis://127.0.0.1:" + port + "#k"));
  for (int i = 0; i < 3; ++i) {
    try {
      client.run(ping(), Repeat::safe);
      FAIL();
    } catch (const ConnectionError& error) {
      EXPECT_TRUE(
          std::string(error.what()).starts_with("redis://127.0.0.1:" + port + ": cannot connect: "))
          << error.what();
    }
  }
}

TEST(RequestOfClient, ChangesSomethingIfOneOfItsCommandsMay) {
  const Request reading = Request().add({"GET", "k"});
  const Request script = Request().add({"EVAL", "return 1", "0"}).reads_only();
  const Request writing = Request().add({"SET", "k", "v"});
  EXPECT_FALSE(reading.changes());
  EXPECT_FALSE(script.changes());
  EXPECT_TRUE(writing.changes());
  EXPECT_TRUE(script.with(writing).changes());
  EXPECT_TRUE(writing.with(script).changes());
  EXPECT_FALSE(script.with(script).changes());
}

// Whoever asks so has another way to do it.
TEST(ClientOfServer, WatchesNothingWhereNobodySaysWhoHasTheKey) {
  const std::string port = std::to_string(testing::unused_port());
  for (const std::string& at : {"redis+cluster://127.0.0.1:" + port + "#k",
                                "redis+sentinel://127.0.0.1:" + port + "/main#k"}) {
    Client client(parse_location(at));
    EXPECT_FALSE(client.run_watched(
        ping(), [](std::span<const Reply>) { return std::nullopt; }, {},
        [](std::span<const Reply>) {}))
        << at;
  }
}

TEST(ClientOfServer, RefusesSocketsAndHostsThatAreNone) {
  Client no_socket(parse_location("redis+unix:///nowhere/at/all.sock#k"));
  EXPECT_THROW(no_socket.run(ping(), Repeat::safe), ConnectionError);
  Client long_path(parse_location("redis+unix:///" + std::string(200, 'x') + "#k"));
  EXPECT_THROW(long_path.run(ping(), Repeat::safe), ConnectionError);
}

TEST(ClientOfServer, WaitsForAConnectionNoLongerThanTheCallerDoes) {
  FakeServer server(FakeServer::saying(""));
  Client client(parse_location("redis://127.0.0.1:" + std::to_string(server.port()) +
                               "?connections=1&timeout=60000#k"));
  std::stop_source stop;
  std::thread holder([&] {
    EXPECT_THROW(client.run(ping(), Repeat::never, {.stop = stop.get_token()}), CallAborted);
  });
  while (server.connections() == 0) std::this_thread::yield();
  EXPECT_THROW(client.run(ping(), Repeat::safe, CallContext::within(std::chrono::milliseconds(30))),
               CallAborted);
  EXPECT_EQ(server.connections(), 1);
  stop.request_stop();
  holder.join();
}

TEST(ClientOfServer, ACallThatIsOverAsksNobody) {
  FakeServer server(FakeServer::saying("+OK\r\n"));
  Client client(parse_location("redis://127.0.0.1:" + std::to_string(server.port()) + "#k"));
  EXPECT_THROW(client.run(ping(), Repeat::safe, CallContext::within(std::chrono::milliseconds(-1))),
               CallAborted);
}

}  // namespace
}  // namespace bloomery::redis
