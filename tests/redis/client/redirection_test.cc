// SPDX-License-Identifier: Apache-2.0
// What servers of a cluster say instead of answering, followed by the client.

#include "bloomery/redis/client/redirection.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>

#include "bloomery/redis/client/client.h"
#include "bloomery/redis/client/hash_slot.h"
#include "tests/support/fake_server.h"

namespace bloomery::redis {
namespace {

using testing::FakeServer;

Reply error(std::string text) {
  return {.type = Reply::Type::error, .text = std::move(text)};
}
Reply status(std::string text) {
  return {.type = Reply::Type::status, .text = std::move(text)};
}

Request transaction() {
  return Request().add({"MULTI"}).add({"GET", "k"}).add({"EXEC"});
}

TEST(HashSlot, IsThatOfTheCluster) {
  EXPECT_EQ(hash_slot("123456789"), 0x31c3);
  EXPECT_EQ(hash_slot(""), 0);
  EXPECT_EQ(hash_slot("users"), hash_slot("{users}:config"));
  EXPECT_EQ(hash_slot("a{b}c{d}"), hash_slot("b"));
  EXPECT_EQ(hash_slot("{}users"), hash_slot("{}users"));
  EXPECT_NE(hash_slot("{}users"), hash_slot(""));
  EXPECT_NE(hash_slot("{users"), hash_slot("users"));
}

TEST(Redirection, IsFoundWhereSomethingWasRefusedAsAWhole) {
  const Request both = transaction().add({"GET", "k"});
  const auto moved = redirection_in(both, std::vector{status("OK"), error("MOVED 7 10.0.0.1:7000"),
                                                      error("EXECABORT"), status("x")});
  ASSERT_TRUE(moved);
  EXPECT_EQ(moved->why, Refusal::moved);
  EXPECT_EQ(moved->to.host, "10.0.0.1");
  EXPECT_EQ(moved->to.port, 7000);
  EXPECT_TRUE(moved->is_partial);
  const auto ask = redirection_in(
      both, std::vector{status("OK"), status("QUEUED"), error("ASK 7 ::1:7"), error("ASK 7 :7")});
  ASSERT_TRUE(ask);
  EXPECT_EQ(ask->why, Refusal::ask);
  EXPECT_EQ(ask->to.host, "::1");
  EXPECT_FALSE(ask->is_partial);
  // A transaction that was done stays done, whatever its replies say.
  Reply done{.type = Reply::Type::array};
  done.elements.push_back(error("MOVED 7 10.0.0.1:7000"));
  EXPECT_FALSE(redirection_in(transaction(), std::vector{status("OK"), status("QUEUED"), done}));
}

TEST(Redirection, IsNoneToWhereNobodyCanBe) {
  const Request one = Request().add({"GET", "k"});
  for (const char* text :
       {"MOVED", "MOVED ", "MOVED 7", "MOVED 7 ", "MOVED 7 host", "MOVED 7 host:", "MOVED 7 host:0",
        "MOVED 7 host:65536", "MOVED 7 host:7x", "MOVED 7 ?:7", "MOVED 16384 host:7",
        "MOVED x host:7", "MOVED 7 ho\tst:7", "MOVED 7 a b:7"}) {
    EXPECT_FALSE(redirection_in(one, std::vector{error(text)})) << text;
  }
  EXPECT_FALSE(redirection_in(one, std::vector{error("MOVED 7 " + std::string(300, 'h') + ":7")}));
}

TEST(Redirection, AskedNodesAreToldForEachUnit) {
  const Request both = transaction().add({"GET", "k"});
  const Request asking = both.asking();
  EXPECT_EQ(asking.size(), both.size() + 2);
  const std::string ask = "*1\r\n$6\r\nASKING\r\n";
  const std::string_view bytes = asking.bytes();
  EXPECT_TRUE(bytes.starts_with(ask + "*1\r\n$5\r\nMULTI\r\n*2\r\n$3\r\nGET"));
  EXPECT_TRUE(bytes.ends_with("EXEC\r\n" + ask + "*2\r\n$3\r\nGET\r\n$1\r\nk\r\n"));
  std::vector replies{status("asked"), status("OK"),    status("QUEUED"),
                      status("done"),  status("asked"), status("x")};
  drop_asking(both, replies);
  ASSERT_EQ(replies.size(), 4U);
  EXPECT_EQ(replies[0].text, "OK");
  EXPECT_EQ(replies[3].text, "x");
}

// Says one after the other, the last for ever; to whole commands of one trip.
FakeServer::Talk saying_in_turn(std::vector<std::string> all, std::atomic<std::size_t>& said) {
  return [=, &said](int file, const std::atomic<bool>& over) {
    while (FakeServer::wait_for_bytes(file, over)) {
      const std::string& next = all[std::min(said++, all.size() - 1)];
      send(file, next.data(), next.size(), MSG_NOSIGNAL);
    }
  };
}

Client client_of(const FakeServer& server, const std::string& settings = "") {
  return Client(
      parse_location("redis://127.0.0.1:" + std::to_string(server.port()) + settings + "#k"));
}

Request get_k() {
  return Request().add({"GET", "k"});
}

TEST(ClientOfCluster, GoesWhereItIsSent) {
  std::atomic<std::size_t> said_there = 0;
  std::atomic<std::size_t> said = 0;
  FakeServer there(saying_in_turn({"+THERE\r\n"}, said_there));
  const std::string port = std::to_string(there.port());
  FakeServer here(saying_in_turn({"-MOVED 1 127.0.0.1:" + port + "\r\n"}, said));
  Client client = client_of(here);
  for (int i = 0; i < 3; ++i) {
    const Answer answer = client.run(get_k(), Repeat::never);
    EXPECT_TRUE(answer.replies.at(0).is_status("THERE"));
    EXPECT_FALSE(answer.repeated) << "it was refused, and so was not done twice";
  }
  EXPECT_EQ(said, 1U) << "it is known who has the key";
  EXPECT_EQ(there.connections(), 1);
}

TEST(ClientOfCluster, AsksWhereItIsToldOnceAndTriesAgain) {
  std::atomic<std::size_t> said_there = 0;
  std::atomic<std::size_t> said = 0;
  FakeServer there(saying_in_turn({"+OK\r\n-TRYAGAIN later\r\n", "+OK\r\n+THERE\r\n"}, said_there));
  const std::string ask = "-ASK 1 127.0.0.1:" + std::to_string(there.port()) + "\r\n";
  FakeServer here(saying_in_turn({ask, ask, "+HERE\r\n"}, said));
  Client client = client_of(here);
  EXPECT_TRUE(client.run(get_k(), Repeat::never).replies.at(0).is_status("THERE"));
  EXPECT_TRUE(client.run(get_k(), Repeat::never).replies.at(0).is_status("HERE"));
  EXPECT_EQ(said_there, 2U);
}

TEST(ClientOfCluster, WaitsForItNoLongerThanTheCallerDoes) {
  for (const char* text : {"-CLUSTERDOWN The cluster is down\r\n", "-TRYAGAIN later\r\n"}) {
    std::atomic<std::size_t> said = 0;
    FakeServer server(saying_in_turn({text, text, "+UP\r\n"}, said));
    Client client = client_of(server);
    EXPECT_TRUE(client.run(get_k(), Repeat::never).replies.at(0).is_status("UP"));
    std::atomic<std::size_t> count = 0;
    FakeServer always(saying_in_turn({text}, count));
    Client patient = client_of(always, "?timeout=300");
    EXPECT_THROW(patient.run(get_k(), Repeat::safe), TimeoutError);
    EXPECT_GE(count, 2U);
    EXPECT_THROW(
        patient.run(get_k(), Repeat::safe, CallContext::within(std::chrono::milliseconds(10))),
        CallAborted);
  }
}

// Nodes do so until all of them have heard who has a slot.
TEST(ClientOfCluster, WaitsForNodesThatSendItToEachOther) {
  std::atomic<std::size_t> said = 0;
  std::atomic<std::size_t> circles = 40;
  std::string circle;
  const std::string settled = "+SETTLED\r\n";
  FakeServer server([&](int file, const std::atomic<bool>& over) {
    while (FakeServer::wait_for_bytes(file, over)) {
      const std::string& next = said++ < circles ? circle : settled;
      send(file, next.data(), next.size(), MSG_NOSIGNAL);
    }
  });
  circle = "-MOVED 1 :" + std::to_string(server.port()) + "\r\n";
  Client client = client_of(server, "?timeout=20000");
  const Answer answer = client.run(get_k(), Repeat::never);
  EXPECT_TRUE(answer.replies.at(0).is_status("SETTLED"));
  EXPECT_FALSE(answer.repeated);
  circles = ~std::size_t{0};
  Client hasty = client_of(server, "?timeout=300");
  EXPECT_THROW(hasty.run(get_k(), Repeat::safe), TimeoutError);
  EXPECT_LE(said, 1'000U) << "with pauses";
}

TEST(ClientOfCluster, RepeatsWhatWasPartlyDoneOnlyIfThatIsSafe) {
  std::atomic<std::size_t> said = 0;
  const std::string partly = "+DONE\r\n-TRYAGAIN later\r\n";
  FakeServer server(saying_in_turn({partly, partly, "+A\r\n+B\r\n"}, said));
  Client client = client_of(server);
  const Request two = get_k().add({"GET", "k"});
  EXPECT_TRUE(client.run(two, Repeat::never).replies.at(1).is(Reply::Type::error));
  const Answer answer = client.run(two, Repeat::safe);
  EXPECT_TRUE(answer.replies.at(1).is_status("B"));
  EXPECT_TRUE(answer.repeated);
}

TEST(ClientOfCluster, GoesBackWhereItBeganWhenANodeIsGone) {
  std::atomic<std::size_t> said = 0;
  const std::string gone = std::to_string(testing::unused_port());
  FakeServer server(saying_in_turn({"-MOVED 1 127.0.0.1:" + gone + "\r\n", "+BACK\r\n"}, said));
  Client client = client_of(server);
  EXPECT_TRUE(client.run(get_k(), Repeat::never).replies.at(0).is_status("BACK"));
}

TEST(ClientOfServer, IsToldAtOnceThatItsDataAreNotThereYet) {
  std::atomic<std::size_t> said = 0;
  FakeServer server(saying_in_turn({"-LOADING x\r\n", "-MASTERDOWN x\r\n", "+OK\r\n"}, said));
  Client client = client_of(server);
  for (const Refusal refusal : {Refusal::loading, Refusal::master_down}) {
    EXPECT_EQ(refusal_of(client.run(get_k(), Repeat::safe).replies.at(0).text), refusal);
  }
  EXPECT_TRUE(client.run(get_k(), Repeat::safe).replies.at(0).is_status("OK"));
  EXPECT_EQ(server.connections(), 1) << "the connection is as good as before";
}

TEST(ClientOfServer, ConnectsAnewOnceWhereItHasBecomeAReplica) {
  std::atomic<std::size_t> said = 0;
  FakeServer server(saying_in_turn({"-READONLY x\r\n", "+OK\r\n", "-READONLY x\r\n"}, said));
  Client client = client_of(server);
  EXPECT_TRUE(client.run(get_k(), Repeat::never).replies.at(0).is_status("OK"));
  EXPECT_EQ(server.connections(), 2);
  EXPECT_EQ(refusal_of(client.run(get_k(), Repeat::never).replies.at(0).text), Refusal::read_only);
  EXPECT_EQ(server.connections(), 3);
}

}  // namespace
}  // namespace bloomery::redis
