// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "tests/module/server_client.h"
#include "tests/module/server_state.h"

namespace bloomery {
namespace {

using testing::Client;
using testing::free_port;
using testing::ModuleServer;
using testing::ModuleTest;

class Replication : public ModuleTest {
 protected:
  static std::uint64_t offset(ModuleServer& server) {
    const std::string text = server.call({"INFO", "replication"}).text;
    const std::string name = "master_repl_offset:";
    return std::stoull(text.substr(text.find(name) + name.size()));
  }
};

TEST_F(Replication, BuildsTheSameFiltersUnderOtherSettings) {
  const std::string port = free_port();
  ModuleServer primary(folder("primary"), {"bf-max-capacity", "2000000000"},
                       {"--port", port, "--repl-diskless-sync-delay", "0"});
  primary.ask("BF.ADD before a");
  ModuleServer replica(folder("replica"),
                       {"bf-error-rate", "0.1", "bf-initial-size", "7", "bf-expansion-factor", "5",
                        "bf-max-capacity", "1000"},
                       {"--replicaof", "127.0.0.1 " + port, "--repl-diskless-load", "swapdb"});
  for (int i = 0; i < 200; ++i) {
    if (replica.call({"INFO", "replication"}).text.find("master_link_status:up") !=
        std::string::npos) {
      break;
    }
    usleep(50'000);
  }
  primary.ask("BF.ADD added a");
  primary.ask("BF.MADD batch a b a c");
  primary.ask("BF.INSERT inserted CAPACITY 20 ERROR 0.003 NONSCALING EXPANSION 3 ITEMS a b");
  primary.ask("BF.INSERT zero EXPANSION 0 ITEMS a");
  primary.ask("BF.RESERVE reserved 0.001 3000");
  primary.ask("BF.RESERVE still 0.01 3 NONSCALING");
  primary.ask("BF.MADD still a b c d e");
  primary.ask("BF.RESERVE flat 0.9 5 EXPANSION 0");
  const auto use_expansion = [&](const char* value) {  // Redis 8 knows the first name
    primary.call({"CONFIG", "SET", "bf-expansion-factor", value});
    primary.call({"CONFIG", "SET", "bf.bf-expansion-factor", value});
  };
  use_expansion("4");
  primary.ask("BF.RESERVE still4 0.01 3 NONSCALING");
  primary.ask("BF.RESERVE grows 0.01 3 EXPANSION 6");
  use_expansion("0");
  primary.ask("BF.INSERT still6 EXPANSION 6 ITEMS a");
  primary.ask("BF.RESERVE still0 0.01 3");
  for (int i = 0; i < 500; ++i) primary.call({"BF.ADD", "added", std::to_string(i)});
  const auto header = primary.call({"BF.SCANDUMP", "batch", "0"});
  const auto chunk = primary.call({"BF.SCANDUMP", "batch", "1"});
  primary.call({"BF.LOADCHUNK", "chunks", "1", header.items[1].text});
  primary.call({"BF.LOADCHUNK", "chunks", chunk.items[0].line.substr(1), chunk.items[1].text});
  ASSERT_EQ(primary.ask("WAIT 1 10000"), ":1");
  for (const char* key : {"before", "added", "batch", "inserted", "zero", "reserved", "still",
                          "still4", "grows", "still6", "still0", "flat", "chunks"}) {
    const std::string bytes = primary.call({"DUMP", key}).text;
    EXPECT_FALSE(bytes.empty()) << key;
    EXPECT_EQ(replica.call({"DUMP", key}).text, bytes) << key;
  }
  EXPECT_EQ(replica.ask("BF.ADD added x").substr(0, 9), "-READONLY");

  // A command that changes nothing is not sent to the replica.
  const std::uint64_t before = offset(primary);
  primary.ask("BF.ADD added a");
  primary.ask("BF.MADD batch a b");
  primary.ask("BF.MADD still a b c d e");
  primary.ask("BF.INSERT inserted ITEMS a b");
  EXPECT_LE(offset(primary) - before, 14U);  // a PING may be due
}

TEST_F(Replication, KeepsWhatWasAddedBetweenPieces) {
  const std::string port = free_port();
  ModuleServer primary(folder("primary"), {}, {"--port", port, "--repl-diskless-sync-delay", "0"});
  primary.ask("BF.MADD from a b c");
  const auto header = primary.call({"BF.SCANDUMP", "from", "0"});
  const auto chunk = primary.call({"BF.SCANDUMP", "from", "1"});
  primary.call({"BF.LOADCHUNK", "to", "1", header.items[1].text});
  primary.ask("BF.ADD to meanwhile");
  ModuleServer replica(folder("replica"), {}, {"--replicaof", "127.0.0.1 " + port});
  ASSERT_TRUE(testing::has_synced(replica));
  primary.call({"BF.LOADCHUNK", "to", chunk.items[0].line.substr(1), chunk.items[1].text});
  ASSERT_EQ(primary.ask("WAIT 1 10000"), ":1");
  EXPECT_EQ(replica.ask("BF.MEXISTS to a b c meanwhile"), "*4 :1 :1 :1 :1");
  EXPECT_EQ(replica.call({"DUMP", "to"}).text, primary.call({"DUMP", "to"}).text);

  primary.call({"BF.LOADCHUNK", "half", "1", header.items[1].text});
  EXPECT_EQ(primary.ask("BLOOM.MERGE new half"), "-NOTREADY a source is still being loaded");
  primary.ask("DEBUG RELOAD");
  EXPECT_EQ(primary.ask("BLOOM.MERGE new half"), "-NOTREADY a source is still being loaded");
}

// Slots move at random looks of it, but by what came before alone.
TEST_F(Replication, MovesTheSlotsOfCuckooFiltersAlike) {
  const std::string port = free_port();
  ModuleServer primary(folder("primary"), {}, {"--port", port, "--repl-diskless-sync-delay", "0"});
  ModuleServer replica(folder("replica"),
                       {"cf-bucket-size", "7", "cf-initial-size", "14", "cf-max-iterations", "3",
                        "cf-expansion-factor", "4", "cf-max-expansions", "1"},
                       {"--replicaof", "127.0.0.1 " + port, "--repl-diskless-load", "swapdb"});
  for (int i = 0; i < 200; ++i) {
    if (replica.call({"INFO", "replication"}).text.find("master_link_status:up") !=
        std::string::npos) {
      break;
    }
    usleep(50'000);
  }
  primary.ask("CF.RESERVE grown 40 EXPANSION 3 BUCKETSIZE 3 MAXITERATIONS 50");
  primary.ask("CF.RESERVE full 40 EXPANSION 0");
  for (int i = 0; i < 500; ++i) {
    const std::string item = std::to_string(i);
    primary.call({"CF.ADD", "usual", item});
    primary.call({"CF.ADDNX", "grown", item});
    primary.call({"CF.INSERT", "full", "ITEMS", item, "x" + item});
    primary.call({"CF.INSERTNX", "batch", "CAPACITY", "600", "ITEMS", item, item, "x" + item});
    primary.call({"CF.INSERT", "batch", "CAPACITY", "4", "ITEMS", item});  // too few over there
    if (i % 3 == 0) primary.call({"CF.DEL", "grown", std::to_string(i / 2)});
  }
  primary.ask("CF.COMPACT grown");
  const auto header = primary.call({"CF.SCANDUMP", "usual", "0"});
  const auto chunk = primary.call({"CF.SCANDUMP", "usual", "1"});
  primary.call({"CF.LOADCHUNK", "chunks", "1", header.items[1].text});
  primary.call({"CF.LOADCHUNK", "chunks", chunk.items[0].line.substr(1), chunk.items[1].text});
  ASSERT_EQ(primary.ask("WAIT 1 10000"), ":1");
  for (const char* key : {"usual", "grown", "full", "batch", "chunks"}) {
    const std::string bytes = primary.call({"DUMP", key}).text;
    EXPECT_FALSE(bytes.empty()) << key;
    EXPECT_EQ(replica.call({"DUMP", key}).text, bytes) << key;
  }
  EXPECT_EQ(replica.ask("CF.COMPACT grown").substr(0, 9), "-READONLY");

  // A command that changes nothing is not sent to the replica.
  const std::uint64_t before = offset(primary);
  primary.ask("CF.ADDNX usual 1");
  primary.ask("CF.ADD full none");
  primary.ask("CF.INSERT full ITEMS none nothing");
  primary.ask("CF.INSERTNX batch ITEMS 1 2");
  primary.ask("CF.DEL usual none");
  primary.ask("CF.COMPACT usual");
  EXPECT_LE(offset(primary) - before, 14U);
}

}  // namespace
}  // namespace bloomery
