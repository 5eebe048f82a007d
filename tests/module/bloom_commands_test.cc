// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "tests/module/server_client.h"

namespace bloomery {
namespace {

using testing::ModuleServer;
using testing::ModuleTest;

class BloomCommands : public ModuleTest {};

const std::string kWrongType = "-WRONGTYPE Operation against a key holding the wrong kind of value";

TEST_F(BloomCommands, TellAMissingFilterFromAnAbsentItem) {
  ModuleServer server(folder());
  server.ask("SET text a");
  server.ask("BF.ADD bf a");
  server.ask("BLOOM.RESERVE own 0.01 100");
  EXPECT_EQ(server.ask("BLOOM.MADD own a b a"), "*3 :1 :1 :0");
  EXPECT_EQ(server.ask("BLOOM.CHECK own a x b"), "*3 :1 :0 :1");
  EXPECT_EQ(server.ask("BLOOM.CHECK bf a x"), "*2 :1 :0");
  EXPECT_EQ(server.ask("BLOOM.CHECK none a"), "$-1");
  EXPECT_EQ(server.ask("BLOOM.CHECK text a"), kWrongType);
  // Half a filter does not say "absent".
  const auto header = server.call({"BF.SCANDUMP", "bf", "0"});
  const auto chunk = server.call({"BF.SCANDUMP", "bf", "1"});
  server.call({"BF.LOADCHUNK", "half", "1", header.items[1].text});
  EXPECT_EQ(server.ask("BLOOM.CHECK half a"), "-NOTREADY the filter is still being loaded");
  server.call({"BF.LOADCHUNK", "half", chunk.items[0].line.substr(1), chunk.items[1].text});
  EXPECT_EQ(server.ask("BLOOM.CHECK half a x"), "*2 :1 :0");
  ASSERT_EQ(server.ask("HELLO 3")[0], '%');
  EXPECT_EQ(server.ask("BLOOM.CHECK own a x"), "*2 :1 :0");
  EXPECT_EQ(server.ask("BLOOM.CHECK none a"), "_");
}

TEST_F(BloomCommands, AddToFiltersThatAreThere) {
  ModuleServer server(folder());
  EXPECT_EQ(server.ask("BLOOM.ADD none a"), "-ERR not found");
  EXPECT_EQ(server.ask("BLOOM.MADD none a"), "-ERR not found");
  EXPECT_EQ(server.ask("BLOOM.INFO none"), "-ERR not found");
  EXPECT_EQ(server.ask("EXISTS none"), ":0");
  server.ask("SET text a");
  EXPECT_EQ(server.ask("BLOOM.ADD text a"), kWrongType);
  EXPECT_EQ(server.ask("BLOOM.RESERVE text 0.01 100 NX"), kWrongType);
  server.ask("BF.RESERVE bf 0.01 100");
  EXPECT_EQ(server.ask("BLOOM.ADD bf a"), ":1");
  EXPECT_EQ(server.ask("BF.EXISTS bf a"), ":1");
}

TEST_F(BloomCommands, ReserveOnce) {
  ModuleServer server(folder());
  EXPECT_EQ(server.ask("BLOOM.RESERVE f 0.01 100 EX 1000"), "+OK");
  EXPECT_EQ(server.ask("TTL f"), ":1000");
  EXPECT_EQ(server.ask("BLOOM.RESERVE f 0.01 100"), "-ERR item exists");
  EXPECT_EQ(server.ask("BLOOM.RESERVE f 0.5 7 NX"), "$-1");
  EXPECT_EQ(server.ask("BF.RESERVE f 0.01 100"), "-ERR item exists");
  EXPECT_EQ(server.ask("BLOOM.RESERVE g 0.01 100 EXPANSION 65").substr(0, 16), "-ERR an expansio");
  EXPECT_EQ(server.ask("EXISTS g"), ":0");
}

TEST_F(BloomCommands, LetRedisBloomsWorkOnOurFilters) {
  ModuleServer server(folder());
  server.ask("BLOOM.RESERVE f 0.01 100");
  EXPECT_EQ(server.ask("BF.ADD f a"), ":1");
  EXPECT_EQ(server.ask("BF.MADD f a b"), "*2 :0 :1");
  EXPECT_EQ(server.ask("BF.INSERT f NOCREATE ITEMS c"), "*1 :1");
  EXPECT_EQ(server.ask("BF.EXISTS f a"), ":1");
  EXPECT_EQ(server.ask("BF.MEXISTS f a x"), "*2 :1 :0");
  EXPECT_EQ(server.ask("BF.CARD f"), ":3");
  EXPECT_EQ(server.ask("BF.INFO f ITEMS"), "*1 :3");
  EXPECT_EQ(server.ask("BF.INFO f FILTERS"), "*1 :1");
  EXPECT_EQ(server.ask("BF.SCANDUMP f 0"), kWrongType);
  EXPECT_EQ(server.ask("BF.LOADCHUNK f 1 x"), kWrongType);
}

TEST_F(BloomCommands, DeleteFromCountingFilters) {
  ModuleServer server(folder());
  server.ask("BLOOM.RESERVE f 0.01 100 COUNTING");
  server.ask("BLOOM.MADD f a a b");
  EXPECT_EQ(server.ask("BLOOM.DEL f a"), ":1");
  EXPECT_EQ(server.ask("BLOOM.CHECK f a b"), "*2 :1 :1");
  EXPECT_EQ(server.ask("BLOOM.DEL f a"), ":1");
  EXPECT_EQ(server.ask("BLOOM.CHECK f a b"), "*2 :0 :1");
  EXPECT_EQ(server.ask("BLOOM.DEL f a"), ":0");
  server.ask("BF.ADD bf a");
  EXPECT_EQ(server.ask("BLOOM.DEL bf a").substr(0, 9), "-ERR only");
  EXPECT_EQ(server.ask("BLOOM.DEL none a"), "-ERR not found");
}

TEST_F(BloomCommands, MergeFiltersThatWereMadeAlike) {
  ModuleServer server(folder());
  for (const char* key : {"a", "b", "bf a", "bf b"}) {
    server.call({key[1] == 'f' ? "BF.RESERVE" : "BLOOM.RESERVE", key, "0.01", "100"});
  }
  server.ask("BLOOM.MADD a 1 2");
  server.ask("BLOOM.MADD b 2 3");
  EXPECT_EQ(server.ask("BLOOM.MERGE both a b"), "+OK");
  EXPECT_EQ(server.ask("BLOOM.CHECK both 1 2 3 4"), "*4 :1 :1 :1 :0");
  EXPECT_EQ(server.ask("BF.CARD both"), ":3");
  EXPECT_EQ(server.ask("BLOOM.CHECK a 3"), "*1 :0");
  server.call({"BF.ADD", "bf a", "1"});
  server.call({"BF.ADD", "bf b", "2"});
  EXPECT_EQ(server.call({"BLOOM.MERGE", "bf a", "bf b"}).shown(), "+OK");
  EXPECT_EQ(server.call({"BF.MEXISTS", "bf a", "1", "2", "3"}).shown(), "*3 :1 :1 :0");
  // All or nothing.
  const std::string before = server.ask("DEBUG DIGEST-VALUE a");
  EXPECT_NE(before, server.ask("DEBUG DIGEST-VALUE b"));
  EXPECT_EQ(server.call({"BLOOM.MERGE", "a", "b", "bf a"}).shown(),
            "-ERR cannot merge: the filters are of different kinds");
  server.ask("BLOOM.RESERVE larger 0.01 1000");
  EXPECT_EQ(server.ask("BLOOM.MERGE a b larger").substr(0, 17), "-ERR cannot merge");
  EXPECT_EQ(server.ask("BLOOM.MERGE a b none"), "-ERR not found: a source");
  EXPECT_EQ(server.ask("DEBUG DIGEST-VALUE a"), before);
  EXPECT_EQ(server.ask("BLOOM.MERGE new none"), "-ERR not found: a source");
  EXPECT_EQ(server.ask("EXISTS new"), ":0");
  EXPECT_EQ(server.ask("COMMAND GETKEYS BLOOM.MERGE x y z"), "*3 $1 x $1 y $1 z");
}

TEST_F(BloomCommands, TellWhatAFilterIs) {
  ModuleServer server(folder());
  ASSERT_EQ(server.ask("HELLO 3")[0], '%');
  server.ask("BLOOM.RESERVE f 0.01 1000 EXPANSION 0");
  server.ask("BLOOM.MADD f a b c");
  const std::string info = server.ask("BLOOM.INFO f");
  EXPECT_EQ(info.find("%21 +Kind $7 blocked +State +ready +Capacity :1000 +Size :"), 0U) << info;
  EXPECT_NE(info.find("+Items inserted :3 +Items estimated :3 +Fill ratio ,0.0"), std::string::npos)
      << info;
  EXPECT_NE(info.find("+Layers :1 +Expansion rate _ +Window seconds _ +Secret :0 +Watermark :0 "
                      "+Epoch :0 +Identity $32 "),
            std::string::npos)
      << info;
  server.ask("BF.ADD bf a");
  EXPECT_EQ(server.ask("BLOOM.INFO bf").find("%21 +Kind $10 redisbloom"), 0U);
  // Large filters are not read through.
  server.ask("BLOOM.RESERVE large 0.01 40000000");
  EXPECT_NE(server.ask("BLOOM.INFO large").find("+Estimated from +counts"), std::string::npos);
  server.ask("BLOOM.RESERVE window 0.01 40000000 WINDOW 1000");
  server.ask("BLOOM.MADD window a b c");
  EXPECT_NE(server.ask("BLOOM.INFO window").find("+Estimated from +sample"), std::string::npos);
  server.ask("BLOOM.RESERVE small 0.01 1000 WINDOW 1000");
  EXPECT_NE(server.ask("BLOOM.INFO small").find("+Estimated from +bits"), std::string::npos);
}

TEST_F(BloomCommands, SurviveReloadsAndRewrites) {
  std::string before;
  const auto digest = [](ModuleServer& server) {
    return server.ask("DEBUG DIGEST-VALUE grown counting window secret");
  };
  {
    ModuleServer server(folder(), {}, {"--appendonly", "yes", "--aof-use-rdb-preamble", "no"});
    server.ask("BLOOM.RESERVE grown 0.01 10");
    server.ask("BLOOM.RESERVE counting 0.01 500 COUNTING");
    server.ask("BLOOM.RESERVE window 0.01 500 WINDOW 1000");
    server.ask("BLOOM.RESERVE secret 0.01 500 SECRET EX 1000");
    for (const char* key : {"grown", "counting", "window", "secret"}) {
      std::vector<std::string> words{"BLOOM.MADD", key};
      for (int i = 0; i < 400; ++i) words.push_back(std::to_string(i % 300));
      server.call(words);
    }
    server.ask("BLOOM.DEL counting 5");
    before = digest(server);
    EXPECT_EQ(server.ask("DEBUG RELOAD"), "+OK");
    EXPECT_EQ(digest(server), before);
    EXPECT_EQ(server.ask("COPY window copy"), ":1");
  }
  {
    ModuleServer server(folder(), {}, {"--appendonly", "yes", "--aof-use-rdb-preamble", "no"});
    EXPECT_EQ(digest(server), before);
    EXPECT_NE(server.ask("TTL secret"), ":-1");
    server.ask("BGREWRITEAOF");
    for (int i = 0; i < 100; ++i) {
      if (server.call({"INFO", "persistence"}).text.find("aof_rewrite_in_progress:0") !=
          std::string::npos) {
        break;
      }
      usleep(50'000);
    }
    EXPECT_EQ(server.ask("DEBUG LOADAOF"), "+OK");
    EXPECT_EQ(digest(server), before);
    EXPECT_EQ(server.ask("BLOOM.CHECK window 5 299 300"), "*3 :1 :1 :0");
  }
}

}  // namespace
}  // namespace bloomery
