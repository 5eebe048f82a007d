// SPDX-License-Identifier: Apache-2.0
// What says it is a server and is none: an error within the time-out, and nothing used twice.

#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <string>

#include "bloomery/redis/client/client.h"
#include "tests/support/fake_server.h"

namespace bloomery::redis {
namespace {

using testing::FakeServer;

// The time-out is longer than any answer takes on a busy machine, but where a test waits for it.
std::string at(const FakeServer& server, const std::string& rest = "?timeout=20000#k") {
  return "redis://127.0.0.1:" + std::to_string(server.port()) + rest;
}

Request get_one() {
  return Request().add({"GET", "k"});
}

TEST(HostileServer, OneThatSaysNothingIsATimeout) {
  FakeServer server(FakeServer::saying(""));
  Client client(parse_location(at(server, "?timeout=200#k")));
  EXPECT_THROW(client.run(get_one(), Repeat::safe), TimeoutError);
  EXPECT_THROW(client.run(get_one(), Repeat::safe), TimeoutError);
  EXPECT_EQ(server.connections(), 2) << "a connection that timed out is not used again";
}

TEST(HostileServer, OneThatSaysNothingToTheGreetingIsATimeout) {
  FakeServer server(FakeServer::saying(""));
  Client client(parse_location("redis://:secret@127.0.0.1:" + std::to_string(server.port()) +
                               "?timeout=200#k"));
  EXPECT_THROW(client.run(get_one(), Repeat::safe), TimeoutError);
}

TEST(HostileServer, OneThatStopsInMidReplyIsATimeout) {
  for (const char* bytes : {"$5\r\nab", "*3\r\n:1\r\n", "$99999999\r\nx", "*1000000\r\n:1\r\n"}) {
    FakeServer server(FakeServer::saying(bytes));
    Client client(parse_location(at(server, "?timeout=50#k")));
    EXPECT_THROW(client.run(get_one(), Repeat::safe), TimeoutError) << bytes;
  }
}

// The time-out is longer than it takes to say so: nobody waits for what is not taken.
TEST(HostileServer, OneThatAnnouncesTooMuchIsRefusedWithoutWaiting) {
  for (const std::string bytes : {"$10000000000000\r\n", "*2\r\n:1\r\n$10000000000000\r\nx",
                                  "*2000000000\r\n:1\r\n", "*1\r\n*1\r\n*2000000\r\n"}) {
    FakeServer server(FakeServer::saying(bytes));
    Client client(parse_location(at(server, "?timeout=20000#k")));
    try {
      client.run(get_one(), Repeat::never);
      ADD_FAILURE() << bytes;
    } catch (const ProtocolError& error) {
      const std::string why = error.what();
      EXPECT_NE(why.find("a reply announces "), std::string::npos) << why;
      EXPECT_NE(why.find("; allowed: "), std::string::npos) << why;
    }
    EXPECT_EQ(server.connections(), 1);
  }
}

TEST(HostileServer, OneThatCutsIsAskedOnceMoreAndOnlyIfThatIsSafe) {
  const auto cut = [](int file, const std::atomic<bool>& over) {
    if (!FakeServer::wait_for_bytes(file, over)) return;
    send(file, "$5\r\nab", 6, MSG_NOSIGNAL);
  };
  FakeServer server(cut);
  Client client(parse_location(at(server)));
  EXPECT_THROW(client.run(get_one(), Repeat::never), ConnectionError);
  EXPECT_EQ(server.connections(), 1);
  EXPECT_THROW(client.run(get_one(), Repeat::safe), ConnectionError);
  EXPECT_EQ(server.connections(), 3);
}

TEST(HostileServer, ARepeatedCallSaysSo) {
  std::atomic<int> met = 0;
  FakeServer server([&](int file, const std::atomic<bool>& over) {
    if (met++ == 0) {
      FakeServer::wait_for_bytes(file, over);
      return;
    }
    FakeServer::saying("+OK\r\n")(file, over);
  });
  Client client(parse_location(at(server)));
  const Answer answer = client.run(get_one(), Repeat::safe);
  EXPECT_TRUE(answer.repeated);
  EXPECT_TRUE(answer.replies.at(0).is_status("OK"));
}

TEST(HostileServer, GarbageIsAnErrorAndItsConnectionIsClosed) {
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "*1\r\n";
  for (const std::string& bytes :
       {std::string("HTTP/1.1 400 Bad Request\r\n\r\n"), std::string("$-9\r\n"), deep,
        std::string("*99999999999999999999\r\n"), std::string("\xff\xfe\x00", 3),
        std::string("+OK\r\n+OK\r\n"), std::string("+OK\r\n$1")}) {
    FakeServer server(FakeServer::saying(bytes));
    Client client(parse_location(at(server)));
    EXPECT_THROW(client.run(get_one(), Repeat::never), ProtocolError) << bytes;
    EXPECT_THROW(client.run(get_one(), Repeat::never), ProtocolError) << bytes;
    EXPECT_EQ(server.connections(), 2);
  }
}

TEST(HostileServer, RandomBytesHarmNobody) {
  std::mt19937 random(1);
  for (int round = 0; round < 30; ++round) {
    std::string bytes;
    for (int i = 0; i < 200; ++i) {
      constexpr std::string_view kLikely = "*$:+-\r\n0129";
      bytes += random() % 4 == 0 ? static_cast<char>(random()) : kLikely[random() % kLikely.size()];
    }
    FakeServer server(FakeServer::saying(bytes));
    Client client(parse_location(at(server, "?timeout=20#k")));
    try {
      EXPECT_EQ(client.run(get_one(), Repeat::never).replies.size(), 1U);
    } catch (const ConnectionError&) {
    }
  }
}

TEST(HostileServer, WhatComesUnaskedEndsTheConnection) {
  FakeServer server([](int file, const std::atomic<bool>& over) {
    if (!FakeServer::wait_for_bytes(file, over)) return;
    send(file, "+OK\r\n", 5, MSG_NOSIGNAL);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    send(file, "+LATE\r\n", 7, MSG_NOSIGNAL);
    FakeServer::wait_for_bytes(file, over);
  });
  Client client(parse_location(at(server)));
  EXPECT_TRUE(client.run(get_one(), Repeat::never).replies.at(0).is_status("OK"));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_TRUE(client.run(get_one(), Repeat::never).replies.at(0).is_status("OK"));
  EXPECT_EQ(server.connections(), 2);
}

TEST(HostileServer, OneThatRepeatsThePasswordIsNotQuoted) {
  FakeServer server(FakeServer::saying("-ERR unknown command 'AUTH', with args: 'hush'\r\n"));
  Client client(parse_location("redis://:hush@127.0.0.1:" + std::to_string(server.port()) + "#k"));
  try {
    client.run(get_one(), Repeat::safe);
    FAIL();
  } catch (const RefusedError& error) {
    EXPECT_EQ(std::string(error.what()).find("hush"), std::string::npos) << error.what();
  }
}

TEST(HostileServer, OneThatNeverReadsIsATimeout) {
  FakeServer server([](int, const std::atomic<bool>& over) {
    while (!over) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  });
  Client client(parse_location(at(server, "?timeout=200#k")));
  const std::string large(32 << 20, 'x');
  EXPECT_THROW(client.run(Request().add({"ECHO", large}), Repeat::safe), TimeoutError);
}

}  // namespace
}  // namespace bloomery::redis
