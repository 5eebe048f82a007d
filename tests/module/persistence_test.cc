// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bloomery/format/redisbloom/redisbloom_dump.h"
#include "bloomery/format/redisbloom/redisbloom_payload.h"
#include "tests/module/server_client.h"

namespace bloomery {
namespace {

using testing::ModuleServer;
using testing::ModuleTest;
using testing::Reply;

class Persistence : public ModuleTest {
 protected:
  // 700 keys in a filter of several links.
  static std::vector<std::string> items() {
    std::vector<std::string> all;
    for (int i = 0; i < 700; ++i) all.push_back("item " + std::to_string(i));
    return all;
  }
  static void fill(ModuleServer& server, const std::string& key) {
    std::vector<std::string> words{"BF.INSERT", key, "CAPACITY", "50", "ITEMS"};
    for (const std::string& each : items()) words.push_back(each);
    server.call(words);
  }
  static std::string dump(ModuleServer& server, const std::string& key) {
    return server.call({"DUMP", key}).text;
  }
  static std::vector<Reply> scan(ModuleServer& server, const std::string& key) {
    std::vector<Reply> chunks;
    for (std::string at = "0";;) {
      chunks.push_back(server.call({"BF.SCANDUMP", key, at}));
      at = chunks.back().items[0].line.substr(1);
      if (at == "0") return chunks;
    }
  }
};

TEST_F(Persistence, SurvivesAReload) {
  ModuleServer server(folder());
  fill(server, "bf");
  const std::string before = dump(server, "bf");
  EXPECT_EQ(server.ask("DEBUG RELOAD"), "+OK");
  EXPECT_EQ(dump(server, "bf"), before);
}

TEST_F(Persistence, SurvivesRestartsFromTheAppendOnlyFile) {
  const std::vector<std::string> options{"--appendonly", "yes", "--aof-use-rdb-preamble", "no"};
  std::string before;
  {
    ModuleServer server(folder(), {}, options);
    fill(server, "bf");
    server.ask("BF.RESERVE still 0.01 10 NONSCALING");
    server.ask("BF.ADD usual a");
    before = dump(server, "bf");
  }
  std::string usual;
  {
    // Commands, under other settings.
    ModuleServer server(folder(), {"bf-initial-size", "77", "bf-max-capacity", "20"}, options);
    EXPECT_EQ(dump(server, "bf"), before);
    EXPECT_EQ(server.ask("BF.INFO usual capacity"), "*1 :100");
    usual = dump(server, "usual");
    server.ask("BGREWRITEAOF");
    for (int i = 0; i < 100; ++i) {
      if (server.call({"INFO", "persistence"}).text.find("aof_rewrite_in_progress:0") !=
          std::string::npos) {
        break;
      }
      usleep(50'000);
    }
    server.ask("BF.ADD bf later");
  }
  ModuleServer server(folder(), {}, options);
  EXPECT_EQ(dump(server, "usual"), usual);
  EXPECT_EQ(server.ask("BF.INFO still expansion"), "*1 $-1");
  EXPECT_EQ(server.ask("BF.EXISTS bf later"), ":1");
  std::vector<std::string> words{"BF.MEXISTS", "bf"};
  for (const std::string& each : items()) words.push_back(each);
  for (const Reply& each : server.call(words).items) EXPECT_EQ(each.line, ":1");
}

TEST_F(Persistence, TransactionsAndScriptsAreReplayed) {
  const std::vector<std::string> options{"--appendonly", "yes"};
  std::string before;
  {
    ModuleServer server(folder(), {}, options);
    server.ask("MULTI");
    server.ask("BF.ADD bf a");
    server.ask("BF.MADD bf a b");
    EXPECT_EQ(server.ask("EXEC"), "*2 :1 *2 :0 :1");
    server.call({"EVAL", "return redis.call('BF.ADD', KEYS[1], 'c')", "1", "bf"});
    before = dump(server, "bf");
  }
  ModuleServer server(folder(), {}, options);
  EXPECT_EQ(dump(server, "bf"), before);
  EXPECT_EQ(server.ask("BF.CARD bf"), ":3");
}

TEST_F(Persistence, DumpsAreRedisBlooms) {
  ModuleServer server(folder());
  fill(server, "bf");
  const std::string text = dump(server, "bf");
  const auto bytes = std::as_bytes(std::span<const char>(text.data(), text.size()));
  const AnyFilter filter = redisbloom::decode_payload(bytes);
  for (const std::string& each : items()) EXPECT_TRUE(filter.may_contain(Key(each)));

  std::string payload;
  redisbloom::encode_payload(filter.contents(), [&](std::span<const std::byte> part) {
    payload.append(reinterpret_cast<const char*>(part.data()), part.size());
  });
  EXPECT_EQ(server.call({"RESTORE", "again", "0", payload}).shown(), "+OK");
  EXPECT_EQ(dump(server, "again"), text);
}

TEST_F(Persistence, OlderGenerationsAreReadAndServed) {
  ModuleServer server(folder());
  for (const auto generation : {redisbloom::Generation::v2_0, redisbloom::Generation::v1_1}) {
    AnyFilter old = redisbloom::reserve({.generation = generation});
    old.insert(Key("member"));
    std::string header;
    const FilterContents contents = old.contents();
    for (const std::byte each : redisbloom::encode_header(contents)) {
      header += static_cast<char>(each);
    }
    server.ask("FLUSHALL");
    EXPECT_EQ(server.call({"BF.LOADCHUNK", "bf", "1", header}).shown(), "+OK");
    const auto chunk = redisbloom::dump_chunk(contents, 1);
    EXPECT_EQ(server
                  .call({"BF.LOADCHUNK",
                         "bf",
                         std::to_string(chunk.next),
                         {reinterpret_cast<const char*>(chunk.bytes.data()), chunk.bytes.size()}})
                  .shown(),
              "+OK");
    EXPECT_EQ(server.ask("BF.MEXISTS bf member other"), "*2 :1 :0");
    const std::string before = dump(server, "bf");
    EXPECT_EQ(server.ask("DEBUG RELOAD"), "+OK");
    EXPECT_EQ(dump(server, "bf"), before);
    EXPECT_EQ(server.ask("BF.MADD bf member new"), "*2 :0 :1");
  }
}

TEST_F(Persistence, ChunksMakeTheSameFilter) {
  ModuleServer server(folder());
  fill(server, "bf");
  const std::vector<Reply> chunks = scan(server, "bf");
  EXPECT_EQ(chunks[0].items[0].line, ":1");
  EXPECT_EQ(chunks[0].items[1].text.size(), 20U + 53U * (chunks.size() - 2));
  EXPECT_EQ(chunks.back().shown(), "*2 :0 $0 ");
  for (std::size_t i = 0; i + 1 < chunks.size(); ++i) {
    EXPECT_EQ(server
                  .call({"BF.LOADCHUNK", "copy", chunks[i].items[0].line.substr(1),
                         chunks[i].items[1].text})
                  .shown(),
              "+OK");
  }
  EXPECT_EQ(dump(server, "copy"), dump(server, "bf"));
  EXPECT_EQ(server.ask("BF.SCANDUMP bf -1"), "*2 :0 $0 ");
  EXPECT_EQ(server.ask("BF.SCANDUMP bf 9223372036854775807"), "*2 :0 $0 ");
}

TEST_F(Persistence, LargeLinksComeInChunksOf16MiB) {
  ModuleServer server(folder());
  server.ask("BF.RESERVE bf 0.01 16000000 NONSCALING");
  server.ask("BF.ADD bf a");
  const std::vector<Reply> chunks = scan(server, "bf");
  ASSERT_EQ(chunks.size(), 4U);
  EXPECT_EQ(chunks[1].items[0].line, ":16777217");
  EXPECT_EQ(chunks[1].items[1].text.size(), 16777216U);
  for (std::size_t i = 0; i + 1 < chunks.size(); ++i) {
    server.call(
        {"BF.LOADCHUNK", "copy", chunks[i].items[0].line.substr(1), chunks[i].items[1].text});
  }
  EXPECT_EQ(server.ask("DEBUG DIGEST-VALUE copy"), server.ask("DEBUG DIGEST-VALUE bf"));
}

}  // namespace
}  // namespace bloomery
