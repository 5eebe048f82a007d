// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bloomery/format/rdb/crc64.h"
#include "bloomery/hash/murmur2.h"
#include "tests/format/redisbloom/redisbloom_bytes.h"
#include "tests/module/server_client.h"

namespace bloomery {
namespace {

using testing::ModuleServer;
using testing::ModuleTest;
using testing::Reply;

class CuckooPersistence : public ModuleTest {
 protected:
  static constexpr int kItems = 700;

  static void fill(ModuleServer& server, const std::string& key) {
    server.ask("CF.RESERVE " + key + " 64 EXPANSION 2");
    std::vector<std::string> words{"CF.INSERT", key, "ITEMS"};
    for (int i = 0; i < kItems; ++i) words.push_back(std::to_string(i));
    server.call(words);
    server.ask("CF.DEL " + key + " 5");
    server.ask("CF.ADD " + key + " 5");
  }
  static void expect_all(ModuleServer& server, const std::string& key) {
    std::vector<std::string> words{"CF.MEXISTS", key};
    for (int i = 0; i < kItems; ++i) words.push_back(std::to_string(i));
    for (const Reply& each : server.call(words).items) EXPECT_EQ(each.line, ":1");
  }
  static std::string dump(ModuleServer& server, const std::string& key) {
    return server.call({"DUMP", key}).text;
  }
  static std::vector<Reply> scan(ModuleServer& server, const std::string& key) {
    std::vector<Reply> chunks;
    for (std::string at = "0";;) {
      Reply chunk = server.call({"CF.SCANDUMP", key, at});
      at = chunk.items[0].line.substr(1);
      if (at == "0") return chunks;
      chunks.push_back(std::move(chunk));
    }
  }
};

TEST_F(CuckooPersistence, SurvivesAReloadADumpAndACopy) {
  ModuleServer server(folder());
  fill(server, "cf");
  const std::string before = dump(server, "cf");
  EXPECT_EQ(server.ask("DEBUG RELOAD"), "+OK");
  EXPECT_EQ(dump(server, "cf"), before);
  EXPECT_EQ(server.call({"RESTORE", "again", "0", before}).shown(), "+OK");
  EXPECT_EQ(dump(server, "again"), before);
  EXPECT_EQ(server.ask("COPY cf copied"), ":1");
  EXPECT_EQ(dump(server, "copied"), before);
  EXPECT_EQ(server.ask("DEBUG DIGEST-VALUE cf"), server.ask("DEBUG DIGEST-VALUE copied"));
  server.ask("CF.ADD copied another");
  EXPECT_EQ(dump(server, "cf"), before);
  EXPECT_NE(server.ask("DEBUG DIGEST-VALUE cf"), server.ask("DEBUG DIGEST-VALUE copied"));
  expect_all(server, "cf");
}

TEST_F(CuckooPersistence, GoesFromKeyToKeyInPieces) {
  ModuleServer server(folder());
  fill(server, "cf");
  const std::vector<Reply> chunks = scan(server, "cf");
  EXPECT_GT(chunks.size(), 3U);
  EXPECT_EQ(chunks[0].items[1].text.size(), 38U);
  for (const Reply& each : chunks) {
    EXPECT_EQ(
        server.call({"CF.LOADCHUNK", "loaded", each.items[0].line.substr(1), each.items[1].text})
            .shown(),
        "+OK");
  }
  EXPECT_EQ(dump(server, "loaded"), dump(server, "cf"));
  // Larger ones in pieces of 16 MiB.
  server.ask("CF.RESERVE large 30000000");
  server.ask("CF.INSERT large ITEMS a b c");
  const std::vector<Reply> large = scan(server, "large");
  ASSERT_EQ(large.size(), 3U);
  EXPECT_EQ(large[1].items[0].line, ":16777217");
  for (const Reply& each : large) {
    server.call({"CF.LOADCHUNK", "large2", each.items[0].line.substr(1), each.items[1].text});
  }
  EXPECT_EQ(server.ask("CF.MEXISTS large2 a b c d"), "*4 :1 :1 :1 :0");
}

TEST_F(CuckooPersistence, SurvivesRestartsFromTheAppendOnlyFile) {
  const std::vector<std::string> options{"--appendonly", "yes", "--aof-use-rdb-preamble", "no"};
  std::string before;
  std::string usual;
  {
    ModuleServer server(folder(), {}, options);
    fill(server, "cf");
    server.ask("CF.ADD usual a");
    server.ask("CF.RESERVE empty 100");
    before = dump(server, "cf");
    usual = dump(server, "usual");
  }
  {
    // Commands, under other settings.
    ModuleServer server(folder(), {"cf-initial-size", "77", "cf-max-expansions", "1"}, options);
    EXPECT_EQ(dump(server, "cf"), before);
    EXPECT_EQ(dump(server, "usual"), usual);
    server.ask("BGREWRITEAOF");
    for (int i = 0; i < 100; ++i) {
      if (server.call({"INFO", "persistence"}).text.find("aof_rewrite_in_progress:0") !=
          std::string::npos) {
        break;
      }
      usleep(50'000);
    }
    server.ask("CF.DEL cf 7");
    before = dump(server, "cf");
  }
  ModuleServer server(folder(), {}, options);
  EXPECT_EQ(dump(server, "cf"), before);
  EXPECT_EQ(dump(server, "usual"), usual);
  EXPECT_EQ(server.ask("CF.INFO empty").substr(0, 15), "*16 +Size :184 ");
}

// The value is that of a server with RedisBloom 2.0: its hash, and buckets of four slots.
TEST_F(CuckooPersistence, OldFiltersKeepTheirMembers) {
  constexpr std::uint64_t kBuckets = 1024;
  std::string slots(4 * kBuckets, '\0');
  for (int i = 0; i < 500; ++i) {
    const std::uint32_t hash = murmur2_32(std::to_string(i), 0);
    const std::uint32_t mark = hash >> 24 == 0 ? 7 : hash >> 24;
    std::size_t at = hash % kBuckets * 4;
    while (slots[at] != '\0') ++at;  // few enough for its own bucket
    slots[at] = static_cast<char>(mark);
  }
  std::string payload("\7");
  testing::append_length(payload, testing::type_id("MBbloomCF", 3));
  for (const std::uint64_t each : {std::uint64_t{1}, kBuckets, std::uint64_t{500}}) {
    testing::append_number(payload, each);
  }
  payload += '\5' + testing::plain_string(slots) + '\0';
  testing::append(payload, std::uint16_t{8});
  testing::append(payload, rdb::crc64(std::as_bytes(std::span<const char>(payload))));

  const std::vector<std::string> options{"--appendonly", "yes", "--aof-use-rdb-preamble", "no"};
  std::string before;
  const auto expect_members = [&](ModuleServer& server) {
    std::vector<std::string> words{"CF.MEXISTS", "cf"};
    for (int i = 0; i < 600; ++i) words.push_back(std::to_string(i));
    for (const Reply& each : server.call(words).items) EXPECT_EQ(each.line, ":1");
  };
  {
    ModuleServer server(folder(), {}, options);
    EXPECT_EQ(server.call({"RESTORE", "cf", "0", payload}).shown(), "+OK");
    for (int i = 500; i < 600; ++i) server.call({"CF.ADD", "cf", std::to_string(i)});
    EXPECT_EQ(server.ask("DEBUG RELOAD"), "+OK");
    expect_members(server);
    for (const Reply& each : scan(server, "cf")) {
      server.call({"CF.LOADCHUNK", "cf2", each.items[0].line.substr(1), each.items[1].text});
    }
    before = dump(server, "cf");
    EXPECT_EQ(dump(server, "cf2"), before);
    server.ask("BGREWRITEAOF");
    for (int i = 0; i < 100; ++i) {
      if (server.call({"INFO", "persistence"}).text.find("aof_rewrite_in_progress:0") !=
          std::string::npos) {
        break;
      }
      usleep(50'000);
    }
  }
  ModuleServer server(folder(), {}, options);
  EXPECT_EQ(dump(server, "cf"), before);
  expect_members(server);
}

}  // namespace
}  // namespace bloomery
