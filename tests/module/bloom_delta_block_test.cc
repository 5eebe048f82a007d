// SPDX-License-Identifier: Apache-2.0
// Clients that wait for what comes into a filter.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "tests/module/filter_copy.h"
#include "tests/module/server_client.h"
#include "tests/module/server_state.h"

namespace bloomery {
namespace {

using testing::Client;
using testing::FilterCopy;
using testing::free_port;
using testing::ModuleServer;
using testing::ModuleTest;

class WaitingForDeltas : public ModuleTest {
 protected:
  void SetUp() override {
    ModuleTest::SetUp();
    if (IsSkipped()) return;
    server_ = std::make_unique<ModuleServer>(folder());
    server_->ask("BLOOM.RESERVE f 0.01 1000000 EXPANSION 0");
    waiting_ = std::make_unique<Client>(server_->socket());
    copy_ = std::make_unique<FilterCopy>(*waiting_, "f");
    copy_->read_whole();
  }
  void wait(const std::string& milliseconds = "60000") {
    const std::string before = blocked();
    waiting_->send_command(copy_->question(milliseconds));
    EXPECT_TRUE(testing::comes_true([&] { return blocked() != before; }));
  }
  std::string blocked() { return testing::info(server_->client, "blocked_clients"); }
  std::string answer() { return copy_->take_delta(waiting_->read_reply()); }

  std::unique_ptr<ModuleServer> server_{};
  std::unique_ptr<Client> waiting_{};
  std::unique_ptr<FilterCopy> copy_{};
};

TEST_F(WaitingForDeltas, AreAnsweredWhenSomethingComes) {
  for (int i = 0; i < 5; ++i) {
    wait();
    server_->ask("BLOOM.ADD f " + std::to_string(i));
    EXPECT_EQ(answer(), "all");
  }
  EXPECT_EQ(copy_->taken, 5U);
  EXPECT_TRUE(copy_->is_equal_to_server());
  EXPECT_EQ(blocked(), "0");
}

TEST_F(WaitingForDeltas, GetWhatCameWithinATickAtOnce) {
  wait();
  for (int i = 0; i < 2000; ++i) {
    server_->client.send_command({"BLOOM.ADD", "f", std::to_string(i)});
  }
  for (int i = 0; i < 2000; ++i) server_->client.read_reply();
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(answer(), "all");
  while (copy_->taken < 2000) {
    waiting_->send_command(copy_->question("60000"));
    ASSERT_EQ(answer(), "all");
  }
  const auto spent = std::chrono::duration_cast<std::chrono::milliseconds>(
                         std::chrono::steady_clock::now() - begin)
                         .count();
  EXPECT_EQ(copy_->taken, 2000U);
  EXPECT_LE(copy_->answers, 2U + static_cast<std::size_t>(spent) / 9)
      << "no client is answered more often than every 10 ms";
}

TEST_F(WaitingForDeltas, AreAnsweredWhenTheirTimeIsOver) {
  const auto begin = std::chrono::steady_clock::now();
  wait("100");
  EXPECT_EQ(answer(), "all");
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(100));
  EXPECT_EQ(copy_->taken, 0U);
}

TEST_F(WaitingForDeltas, AreAnsweredWhereTheFilterGoes) {
  wait();
  server_->ask("DEL f");
  EXPECT_EQ(waiting_->read_reply().line, "-ERR not found");
  for (const std::string way : {"FLUSHALL", "RENAME f elsewhere", "SET f text", "SWAPDB 0 1"}) {
    server_->ask("DEL f");
    server_->ask("BLOOM.RESERVE f 0.01 20000 EXPANSION 0");
    copy_->read_whole();
    wait();
    server_->ask(way);
    EXPECT_EQ(waiting_->read_reply().line[0], '-') << way;
  }
  server_->ask("FLUSHALL");
  server_->ask("BLOOM.RESERVE f 0.01 20000 EXPANSION 0");
  server_->ask("COPY f g");
  copy_->read_whole();
  wait();
  server_->ask("RENAME g f");
  EXPECT_EQ(answer(), "WHOLE");
}

TEST_F(WaitingForDeltas, DoNotWaitInTransactionsAndScripts) {
  waiting_->ask("MULTI");
  waiting_->call(copy_->question("60000"));
  EXPECT_EQ(waiting_->ask_reply("EXEC").items[0].items.size(), 4U);
  const auto words = copy_->question("60000");
  EXPECT_EQ(waiting_
                ->call({"EVAL", "return redis.call(unpack(ARGV))", "0", words[0], words[1],
                        words[2], words[3], words[4], words[5], words[6]})
                .items.size(),
            4U);
}

TEST_F(WaitingForDeltas, MayGoAway) {
  for (int i = 0; i < 20; ++i) {
    Client passing(server_->socket());
    passing.send_command(copy_->question("60000"));
    if (i % 2 != 0) continue;
    EXPECT_TRUE(testing::comes_true([&] { return blocked() != "0"; }));
  }
  EXPECT_TRUE(testing::comes_true([&] { return blocked() == "0"; }));
  wait();
  server_->ask("CLIENT KILL TYPE normal SKIPME yes");
  EXPECT_TRUE(testing::comes_true([&] { return blocked() == "0"; }));
  server_->ask("BLOOM.ADD f after");
  Client other(server_->socket());
  FilterCopy copy(other, "f");
  copy.read_whole();
  other.send_command(copy.question("60000"));
  server_->ask("BLOOM.ADD f later");
  EXPECT_EQ(copy.take_delta(other.read_reply()), "all");
}

TEST_F(WaitingForDeltas, OfAServerThatBecomesAReplicaEnd) {
  wait();
  ModuleServer primary(folder("primary"), {}, {"--port", free_port()});
  const std::string port = primary.call({"CONFIG", "GET", "port"}).items[1].text;
  EXPECT_EQ(server_->ask("REPLICAOF 127.0.0.1 " + port), "+OK");
  const auto reply = waiting_->read_reply();
  EXPECT_EQ(reply.line.substr(0, 11), "-UNBLOCKED ") << reply.shown();
  EXPECT_EQ(server_->ask("PING"), "+PONG");
}

}  // namespace
}  // namespace bloomery
