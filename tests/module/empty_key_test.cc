// SPDX-License-Identifier: Apache-2.0
// Commands of a primary, or of a file, for keys that are empty here. Redis from 8.2 on ends where
// it is asked when such a key expires.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/module/server_client.h"
#include "tests/module/server_state.h"

namespace bloomery {
namespace {

using testing::ModuleServer;

class EmptyKey : public testing::ModuleTest {
 protected:
  static bool has_file(ModuleServer& server) {
    return testing::comes_true([&] {
      return testing::info(server.client, "aof_rewrite_in_progress") == "0" &&
             testing::info(server.client, "aof_rewrite_scheduled") == "0";
    });
  }
  const std::vector<std::string> files_{"--appendonly", "yes", "--aof-use-rdb-preamble", "no"};
};

TEST_F(EmptyKey, AnEvictingReplicaLivesOnWhenItsPrimaryAdds) {
  const std::string port = testing::free_port();
  ModuleServer primary(folder("primary"), {}, {"--port", port, "--repl-diskless-sync-delay", "0"});
  // Each command is for a filter of its own, which has "alice".
  const std::vector<std::vector<std::string>> filters{
      {"BF.ADD add bob", "BF.ADD add alice"},
      {"BF.MADD madd bob carol", "BF.ADD madd alice"},
      {"BF.INSERT insert NOCREATE ITEMS bob", "BF.ADD insert alice"},
      {"CF.ADD cuckoo bob", "CF.ADD cuckoo alice"},
      {"CF.INSERT items ITEMS bob", "CF.ADD items alice"},
      {"CF.DEL deleted alice", "CF.ADD deleted alice"},
      {"BLOOM.ADD own bob", "BLOOM.RESERVE own 0.01 100", "BLOOM.ADD own alice"},
      {"BLOOM.ADD window bob", "BLOOM.RESERVE window 0.01 100 WINDOW 60", "BF.ADD window alice"},
      {"BLOOM.MERGE to add", "BF.ADD to alice"},
      {"BLOOM.DEL counting alice", "BLOOM.RESERVE counting 0.01 100 COUNTING",
       "BLOOM.ADD counting alice"}};
  std::vector<std::string> options = files_;
  options.insert(options.end(), {"--replicaof", "127.0.0.1 " + port, "--replica-ignore-maxmemory",
                                 "no", "--maxmemory-policy", "allkeys-lru"});
  for (int restart = 0; restart < 2; ++restart) {
    ModuleServer replica(folder("replica"), {}, restart == 0 ? options : files_);
    if (restart == 0) {
      for (const auto& each : filters) {
        for (std::size_t i = 1; i < each.size(); ++i) primary.ask(each[i]);
      }
      ASSERT_TRUE(testing::has_synced(replica));
      ASSERT_EQ(primary.ask("WAIT 1 10000"), ":1");
      ASSERT_TRUE(has_file(replica));  // before, it does not end when it is told to
      replica.ask("CONFIG SET maxmemory 1");
      ASSERT_TRUE(testing::comes_true([&] { return replica.ask("DBSIZE") == ":0"; }));
      replica.ask("CONFIG SET maxmemory 1gb");
      for (const auto& each : filters) EXPECT_NE(primary.ask(each[0])[0], '-') << each[0];
      ASSERT_EQ(primary.ask("WAIT 1 10000"), ":1");
    }
    EXPECT_EQ(replica.ask("PING"), "+PONG");
    for (const char* const key : {"add", "madd", "insert", "own", "window"}) {
      EXPECT_EQ(replica.ask("BLOOM.CHECK " + std::string(key) + " alice"), "$-1") << key;
    }
    for (const char* const key : {"cuckoo", "items"}) {
      EXPECT_EQ(replica.ask("CF.EXISTS " + std::string(key) + " alice")[0], '-') << key;
    }
  }
}

TEST_F(EmptyKey, AFileThatWasRewrittenDuringALoadStartsAgain) {
  for (int restart = 0; restart < 2; ++restart) {
    ModuleServer server(folder(), {}, files_);
    if (restart == 0) {
      EXPECT_EQ(server.ask("BLOOM.LOAD users BEGIN 100000"), "+OK");
      EXPECT_EQ(server.ask("BF.ADD users alice"), ":1");
      server.ask("BGREWRITEAOF");
      ASSERT_TRUE(has_file(server));
    } else {
      EXPECT_EQ(server.ask("DBSIZE"), ":2");
      EXPECT_EQ(server.ask("BF.MEXISTS users alice"), "*1 :1");
      EXPECT_EQ(server.ask("BLOOM.CHECK users alice"),
                "-NOTREADY the filter is still being loaded");
    }
  }
}

}  // namespace
}  // namespace bloomery
