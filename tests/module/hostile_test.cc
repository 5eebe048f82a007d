// SPDX-License-Identifier: Apache-2.0
// Bytes and sizes that nobody means well with: the server answers, and goes on.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tests/module/payload.h"
#include "tests/module/server_client.h"

namespace bloomery {
namespace {

using testing::ModuleServer;
using testing::ModuleTest;
using testing::with_checksum;

class Hostile : public ModuleTest {};

TEST_F(Hostile, RestoreTakesNothingThatIsNoFilter) {
  ModuleServer server(folder());
  server.ask("BF.INSERT bf CAPACITY 5 ITEMS a b c d e f g h");
  const std::string good = server.call({"DUMP", "bf"}).text;
  ASSERT_EQ(with_checksum(good), good);
  int refused = 0;
  for (std::size_t at = 0; at + 10 < good.size(); ++at) {
    for (const char flip : {'\x01', '\x80', '\xff'}) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ flip);
      const std::string reply =
          server.call({"RESTORE", "bad", "0", with_checksum(bad), "REPLACE"}).shown();
      refused += reply == "+OK" ? 0 : 1;
      if (reply != "+OK") continue;
      // The value is then a filter, and works.
      EXPECT_EQ(server.ask("BF.INFO bad").substr(0, 3), "*10") << at;
      server.ask("BF.ADD bad x");
      EXPECT_EQ(server.ask("BF.EXISTS bad x"), ":1") << at;
      EXPECT_FALSE(server.call({"DUMP", "bad"}).text.empty());
    }
    std::string cut = good.substr(0, at) + good.substr(good.size() - 10);
    EXPECT_EQ(server.call({"RESTORE", "cut", "0", with_checksum(cut)}).shown()[0], '-') << at;
  }
  EXPECT_GT(refused, 100);
  EXPECT_EQ(server.ask("BF.CARD bf"), ":8");
}

TEST_F(Hostile, HeadersAndChunksAreCheckedBeforeAnythingIsTaken) {
  ModuleServer server(folder());
  server.ask("BF.INSERT bf CAPACITY 5 ITEMS a b c d e f g h");
  const std::string header = server.call({"BF.SCANDUMP", "bf", "0"}).items[1].text;
  std::mt19937 random(5);
  for (int i = 0; i < 3000; ++i) {
    std::string bad = header;
    for (int flips = 1 + i % 3; flips > 0; --flips) {
      bad[random() % bad.size()] = static_cast<char>(random());
    }
    if (i % 10 == 0) bad.resize(random() % bad.size());
    const std::string reply = server.call({"BF.LOADCHUNK", "bad", "1", bad}).shown();
    if (reply == "+OK") {
      server.ask("BF.ADD bad x");
      EXPECT_EQ(server.ask("BF.EXISTS bad x"), ":1");
      server.ask("DEL bad");
    } else {
      EXPECT_TRUE(reply == "-ERR received bad data" ||
                  reply == "-ERR Insufficient memory to create filter")
          << reply;
    }
  }
  EXPECT_EQ(server.ask("EXISTS bad"), ":0");
  EXPECT_EQ(server.ask("BF.LOADCHUNK bf 0 x"), "-ERR received bad data");
  EXPECT_EQ(server.ask("BF.LOADCHUNK bf -5 x"), "-ERR received bad data");
  EXPECT_EQ(server.ask("BF.LOADCHUNK bf 1 xx"), "-ERR received bad data");
  EXPECT_EQ(server.ask("BF.LOADCHUNK bf 9223372036854775807 x"),
            "-ERR invalid offset - no link found");
  EXPECT_EQ(server.call({"BF.LOADCHUNK", "bf", "101", std::string(100, 'x')}).shown(),
            "-ERR invalid chunk - Too big for current filter");
}

TEST_F(Hostile, NoSizeEndsTheServer) {
  ModuleServer server(folder(), {"bf-max-capacity", "1099511627776"});
  EXPECT_EQ(server.ask("BF.RESERVE bf 0.0000001 1000000000000"),
            "-ERR Insufficient memory to create filter");
  EXPECT_EQ(server.ask("BF.INSERT bf CAPACITY 1000000000000 ITEMS a"),
            "-ERR Insufficient memory to create filter");
  EXPECT_EQ(server.ask("EXISTS bf"), ":0");
  // Every link is 32768 times the one before.
  server.ask("BF.RESERVE bf 0.01 1 EXPANSION 32768");
  server.ask("CONFIG SET maxmemory 100mb");
  std::string last;
  for (int i = 0; i < 40000 && last != "-ERR problem inserting into filter"; i += 1000) {
    std::vector<std::string> words{"BF.MADD", "bf"};
    for (int j = i; j < i + 1000; ++j) words.push_back(std::to_string(j));
    last = server.call(words).items.back().line;
  }
  EXPECT_EQ(last, "-ERR problem inserting into filter");
  EXPECT_EQ(server.ask("BF.MEXISTS bf 0 1 2 30000"), "*4 :1 :1 :1 :1");
  EXPECT_EQ(server.ask("BF.RESERVE large 0.01 200000000"),
            "-ERR Insufficient memory to create filter");
  EXPECT_EQ(server.ask("BF.RESERVE small 0.01 1000"), "+OK");
}

}  // namespace
}  // namespace bloomery
