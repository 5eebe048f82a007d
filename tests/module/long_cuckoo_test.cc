// SPDX-License-Identifier: Apache-2.0
// Cuckoo filters of more sub-filters than a command of this server's makes: read, grown and handed
// on.
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

class LongCuckoo : public ModuleTest {
 protected:
  static int sub_filters(ModuleServer& server) {
    return std::stoi(server.ask_reply("CF.INFO cf").items[5].line.substr(1));
  }
};

TEST_F(LongCuckoo, KeepsAllItemsOnEveryWay) {
  constexpr int kItems = 9'000;
  const std::string port = free_port();
  const std::vector<std::string> options{"--port",       port,  "--repl-diskless-sync-delay", "0",
                                         "--appendonly", "yes", "--aof-use-rdb-preamble",     "no"};
  const std::string count = ":" + std::to_string(kItems);
  std::string before;
  {
    ModuleServer primary(folder(), {"cf-max-expansions", "65536"}, options);
    ModuleServer early(folder("early"), {}, {"--replicaof", "127.0.0.1 " + port});
    ASSERT_TRUE(testing::has_synced(early));
    // An item has two buckets of one slot in each sub-filter.
    primary.ask("CF.RESERVE cf 2 BUCKETSIZE 1 MAXITERATIONS 1");
    std::vector<std::string> words{"CF.INSERT", "cf", "ITEMS"};
    words.resize(3 + 500, "item");
    for (int i = 0; i < kItems; i += 500) primary.call(words);
    EXPECT_GT(sub_filters(primary), 4096);
    EXPECT_EQ(primary.ask_reply("CF.INFO cf").items[7].line, count);
    before = primary.ask("DEBUG DIGEST-VALUE cf");
    ModuleServer late(folder("late"), {}, {"--replicaof", "127.0.0.1 " + port});
    ASSERT_TRUE(testing::has_synced(late));
    ASSERT_EQ(primary.ask("WAIT 2 20000"), ":2");
    for (ModuleServer* const each : {&primary, &early, &late}) {
      EXPECT_EQ(each->ask("DEBUG DIGEST-VALUE cf"), before);
    }
    // The dump comes in chunks, as RedisBloom gives it.
    for (std::string at = "0";;) {
      const auto piece = primary.call({"CF.SCANDUMP", "cf", at});
      at = piece.items[0].line.substr(1);
      if (at == "0") break;
      primary.call({"CF.LOADCHUNK", "copy", at, piece.items[1].text});
    }
    EXPECT_EQ(primary.ask("DEBUG DIGEST-VALUE copy"), before);
  }
  for (int restart = 0; restart < 2; ++restart) {
    ModuleServer server(folder(), {}, options);
    EXPECT_EQ(server.ask("DEBUG DIGEST-VALUE cf"), before);
    server.ask("BGREWRITEAOF");
    EXPECT_TRUE(testing::comes_true(
        [&] { return testing::info(server.client, "aof_rewrite_in_progress") == "0"; }));
  }
}

}  // namespace
}  // namespace bloomery
