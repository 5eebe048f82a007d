// SPDX-License-Identifier: Apache-2.0
// What replicas have of filters of our own: the same bytes, whenever they get them.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bloomery/filter/filter_kinds.h"
#include "bloomery/redis/places/push_filter.h"
#include "tests/module/server_client.h"
#include "tests/module/server_state.h"

namespace bloomery {
namespace {

using testing::free_port;
using testing::has_synced;
using testing::info;
using testing::ModuleServer;
using testing::ModuleTest;

class BloomReplication : public ModuleTest {};

TEST_F(BloomReplication, GivesTheSameBytesOfEveryKind) {
  const std::string port = free_port();
  ModuleServer primary(folder("primary"), {},
                       {"--port", port, "--repl-diskless-sync-delay", "0", "--hz", "100"});
  ModuleServer replica(folder("replica"), {"bf-max-capacity", "10"},
                       {"--replicaof", "127.0.0.1 " + port});
  ASSERT_TRUE(has_synced(replica));
  const std::vector<std::string> keys{"grown",  "classic", "counting", "window",
                                      "secret", "merged",  "pushed",   "{begun}.loading"};
  primary.ask("BLOOM.RESERVE grown 0.01 10 SEED 7");
  primary.ask("BLOOM.RESERVE classic 0.001 300 LAYOUT classic");
  primary.ask("BLOOM.RESERVE counting 0.01 300 COUNTING");
  primary.ask("BLOOM.RESERVE window 0.01 300 WINDOW 1 GENERATIONS 7");
  primary.ask("BLOOM.RESERVE secret 0.01 300 SECRET EX 1000");
  for (int i = 0; i < 400; ++i) {
    const std::string item = std::to_string(i % 250);
    primary.call({"BLOOM.ADD", "grown", item});
    primary.call({"BF.ADD", "classic", item});
    primary.call({"BF.MADD", "counting", item, item});
    primary.call({"BLOOM.MADD", "window", item, "x"});
    primary.call({"BF.INSERT", "secret", "ITEMS", item});
    // Several generations of the window pass, and the replica sees each add later.
    if (i % 20 == 0) usleep(40'000);
    if (i == 200) {
      replica.ask("REPLICAOF NO ONE");
      replica.call({"REPLICAOF", "127.0.0.1", port});
    }
  }
  primary.ask("BLOOM.DEL counting 5");
  primary.ask("BLOOM.MERGE merged classic");
  primary.ask("BF.ADD merged another");
  const AnyFilter built = make_filter(FilterKind::scalable, {.capacity = 1'000'000});
  redis::Client own(redis::parse_location("unix://" + primary.socket() + "#pushed"));
  redis::push_filter(built.contents(), own);
  primary.ask("BLOOM.LOAD begun BEGIN 100000");
  primary.call({"BLOOM.LOAD", "begun", "AT", "0",
                std::string("\x89"
                            "BLOOM\r\n",
                            8)});
  ASSERT_TRUE(has_synced(replica));
  ASSERT_EQ(primary.ask("WAIT 1 10000"), ":1");
  for (const std::string& key : keys) {
    const std::string bytes = primary.call({"DUMP", key}).text;
    EXPECT_FALSE(bytes.empty()) << key;
    EXPECT_EQ(replica.call({"DUMP", key}).text, bytes) << key;
  }
  EXPECT_EQ(replica.ask("BLOOM.ADD grown new").substr(0, 9), "-READONLY");
  EXPECT_EQ(replica.ask("BLOOM.MERGE grown grown").substr(0, 9), "-READONLY");
  EXPECT_EQ(replica.ask("BLOOM.LOAD k BEGIN 9999").substr(0, 9), "-READONLY");
  EXPECT_EQ(replica.ask("BLOOM.CHECK begun a").substr(0, 9), "-NOTREADY");
  EXPECT_NE(replica.ask("TTL secret"), ":-1");
}

TEST_F(BloomReplication, SaysNothingWhereNothingChanged) {
  const std::string port = free_port();
  ModuleServer primary(folder("primary"), {}, {"--port", port, "--repl-diskless-sync-delay", "0"});
  ModuleServer replica(folder("replica"), {},
                       {"--replicaof", "127.0.0.1 " + port, "--repl-ping-replica-period", "3600"});
  primary.ask("CONFIG SET repl-ping-replica-period 3600");
  ASSERT_TRUE(has_synced(replica));
  primary.ask("BLOOM.RESERVE own 0.01 5 EXPANSION 0");
  primary.ask("BLOOM.RESERVE counting 0.01 5 COUNTING");
  primary.ask("BLOOM.MADD own a b c d e");
  ASSERT_EQ(primary.ask("WAIT 1 10000"), ":1");
  const std::string before = info(primary.client, "master_repl_offset");
  primary.ask("BLOOM.ADD own a");
  primary.ask("BLOOM.MADD own a b f");
  primary.ask("BLOOM.CHECK own a");
  primary.ask("BLOOM.RESERVE own 0.01 5 NX");
  primary.ask("BLOOM.DEL counting a");
  primary.ask("BLOOM.MERGE own counting");
  primary.ask("BLOOM.LOAD own ABORT");
  primary.ask("BLOOM.LOAD own COMMIT");
  primary.ask("BLOOM.LOAD own AT 0 x");
  EXPECT_EQ(info(primary.client, "master_repl_offset"), before);
  primary.ask("BLOOM.ADD counting a");
  const std::string changed = info(primary.client, "master_repl_offset");
  EXPECT_NE(changed, before);
  primary.ask("BLOOM.ADD counting a");
  EXPECT_NE(info(primary.client, "master_repl_offset"), changed) << "the second add counts";
}

}  // namespace
}  // namespace bloomery
