// SPDX-License-Identifier: Apache-2.0
// Chains as long as RedisBloom makes them with EXPANSION 1: read, grown and handed on.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/module/server_client.h"
#include "tests/module/server_state.h"

namespace bloomery {
namespace {

using testing::free_port;
using testing::ModuleServer;
using testing::ModuleTest;
using testing::Reply;

class LongChain : public ModuleTest {
 protected:
  static constexpr int kItems = 4000;

  static std::vector<std::string> items(const std::string& command, const std::string& key,
                                        int first, int end) {
    std::vector<std::string> words{command, key};
    for (int i = first; i < end; ++i) words.push_back(std::to_string(i));
    return words;
  }
  static int missing(ModuleServer& server, const std::string& command, const std::string& key) {
    int count = 0;
    for (const Reply& each : server.call(items(command, key, 0, kItems)).items) {
      count += each.line == ":1" ? 0 : 1;
    }
    return count;
  }
  static void rewrite(ModuleServer& server) {
    server.ask("BGREWRITEAOF");
    EXPECT_TRUE(testing::comes_true(
        [&] { return testing::info(server.client, "aof_rewrite_in_progress") == "0"; }));
  }
};

TEST_F(LongChain, KeepsAllMembersOnEveryWay) {
  const std::string port = free_port();
  const std::vector<std::string> options{"--port",       port,  "--repl-diskless-sync-delay", "0",
                                         "--appendonly", "yes", "--aof-use-rdb-preamble",     "no"};
  std::string before;
  {
    ModuleServer primary(folder(), {}, options);
    ModuleServer early(folder("early"), {}, {"--replicaof", "127.0.0.1 " + port});
    ASSERT_TRUE(testing::has_synced(early));
    primary.ask("BF.RESERVE bf 0.01 4 EXPANSION 1");
    for (int i = 0; i < kItems; i += 500) {
      primary.call(items("BF.MADD", "bf", i, i + 500));
    }
    EXPECT_GT(std::stoi(primary.ask_reply("BF.INFO bf FILTERS").items[0].line.substr(1)), 300);
    before = primary.ask("DEBUG DIGEST-VALUE bf");
    ModuleServer late(folder("late"), {}, {"--replicaof", "127.0.0.1 " + port});
    ASSERT_TRUE(testing::has_synced(late));
    ASSERT_EQ(primary.ask("WAIT 2 20000"), ":2");
    for (ModuleServer* const each : {&primary, &early, &late}) {
      EXPECT_EQ(missing(*each, "BF.MEXISTS", "bf"), 0);
      EXPECT_EQ(each->ask("DEBUG DIGEST-VALUE bf"), before);
    }
    EXPECT_EQ(primary.ask("DEBUG RELOAD"), "+OK");
    EXPECT_EQ(primary.ask("DEBUG DIGEST-VALUE bf"), before);
  }
  for (int restart = 0; restart < 2; ++restart) {
    ModuleServer server(folder(), {}, options);
    EXPECT_EQ(server.ask("DEBUG DIGEST-VALUE bf"), before);
    EXPECT_EQ(missing(server, "BF.MEXISTS", "bf"), 0);
    rewrite(server);
  }
}

TEST_F(LongChain, GrowsAsFarAsARateCanBeHalved) {
  ModuleServer server(folder());
  server.ask("BF.RESERVE bf 0.01 1 EXPANSION 1");
  std::string last;
  std::vector<std::string> words;
  for (int i = 0; i < 100'000 && last != "-ERR problem inserting into filter"; i += 1000) {
    words = items("BF.MADD", "bf", i, i + 1000);
    last = server.call(words).items.back().line;
  }
  EXPECT_EQ(last, "-ERR problem inserting into filter");
  const int links = std::stoi(server.ask_reply("BF.INFO bf FILTERS").items[0].line.substr(1));
  EXPECT_GT(links, 1060);
  EXPECT_EQ(server.ask("DEBUG RELOAD"), "+OK");
  EXPECT_EQ(server.call(items("BF.MEXISTS", "bf", 0, 2)).shown(), "*2 :1 :1");
}

}  // namespace
}  // namespace bloomery
