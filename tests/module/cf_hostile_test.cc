// SPDX-License-Identifier: Apache-2.0
// Bytes and sizes of cuckoo filters that nobody means well with: the server answers, and goes on.
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

class CuckooHostile : public ModuleTest {
 protected:
  static void expect_works(ModuleServer& server, const std::string& key) {
    EXPECT_EQ(server.ask("CF.INFO " + key).substr(0, 3), "*16");
    if (server.ask("CF.ADD " + key + " x") == ":1") {
      EXPECT_EQ(server.ask("CF.EXISTS " + key + " x"), ":1");
      EXPECT_EQ(server.ask("CF.DEL " + key + " x"), ":1");
    }
    server.ask("CF.COMPACT " + key);
    EXPECT_FALSE(server.call({"DUMP", key}).text.empty());
  }
};

TEST_F(CuckooHostile, RestoreTakesNothingThatIsNoFilter) {
  ModuleServer server(folder());
  server.ask("CF.RESERVE cf 8 EXPANSION 2");
  server.ask("CF.INSERT cf ITEMS a b c d e f g h i j k l m n o");
  const std::string good = server.call({"DUMP", "cf"}).text;
  ASSERT_EQ(with_checksum(good), good);
  server.ask("SET old value");
  int refused = 0;
  for (std::size_t at = 0; at + 10 < good.size(); ++at) {
    for (const char flip : {'\x01', '\x04', '\x80', '\xff'}) {
      std::string bad = good;
      bad[at] = static_cast<char>(bad[at] ^ flip);
      const std::string reply =
          server.call({"RESTORE", "bad", "0", with_checksum(bad), "REPLACE"}).shown();
      refused += reply == "+OK" ? 0 : 1;
      if (reply == "+OK" && server.ask("TYPE bad") == "+MBbloomCF") expect_works(server, "bad");
      server.ask("DEL bad");
    }
    if (at + 12 == good.size()) continue;  // the payload's own tail would complete the values
    const std::string cut = good.substr(0, at) + good.substr(good.size() - 10);
    EXPECT_EQ(server.call({"RESTORE", "old", "0", with_checksum(cut), "REPLACE"}).shown()[0], '-')
        << at;
  }
  EXPECT_GT(refused, 60);
  EXPECT_EQ(server.ask("GET old"), "$5 value");
  EXPECT_EQ(server.call({"DUMP", "cf"}).text, good);
}

TEST_F(CuckooHostile, HeadersAndChunksAreCheckedBeforeAnythingIsTaken) {
  ModuleServer server(folder());
  server.ask("CF.RESERVE cf 8 EXPANSION 2");
  server.ask("CF.INSERT cf ITEMS a b c d e f g h i j k l m n o");
  const std::string header = server.call({"CF.SCANDUMP", "cf", "0"}).items[1].text;
  std::mt19937 random(5);
  for (int i = 0; i < 3000; ++i) {
    std::string bad = header;
    for (int flips = 1 + i % 3; flips > 0; --flips) {
      bad[random() % bad.size()] = static_cast<char>(random());
    }
    if (i % 10 == 0) bad.resize(random() % bad.size());
    const std::string reply = server.call({"CF.LOADCHUNK", "bad", "1", bad}).shown();
    if (reply == "+OK") {
      EXPECT_EQ(server.ask("CF.INFO bad").substr(0, 3), "*16");
      server.ask("CF.ADD bad x");
      server.ask("DEL bad");
    } else {
      EXPECT_TRUE(reply == "-Couldn't create filter!" || reply == "-Invalid header") << reply;
    }
  }
  EXPECT_EQ(server.ask("EXISTS bad"), ":0");
  for (int i = 0; i < 1000; ++i) {
    std::string chunk(random() % 40, '\0');
    for (char& each : chunk) each = static_cast<char>(random());
    const std::string reply =
        server.call({"CF.LOADCHUNK", "cf", std::to_string(random() % 100), chunk}).shown();
    EXPECT_TRUE(reply == "+OK" || reply == "-Couldn't load chunk!" ||
                reply == "-Invalid position" || reply == "-ERR item exists")
        << reply;
  }
  expect_works(server, "cf");
}

TEST_F(CuckooHostile, NoSizeEndsTheServer) {
  ModuleServer server(folder());
  server.ask("CONFIG SET maxmemory 100mb");
  EXPECT_EQ(server.ask("CF.RESERVE cf 1073741824"), "-ERR Insufficient memory to create filter");
  EXPECT_EQ(server.ask("CF.INSERT cf CAPACITY 1073741824 ITEMS a"),
            "-ERR Insufficient memory to create filter");
  EXPECT_EQ(server.ask("EXISTS cf"), ":0");
  // Every sub-filter is 32768 times the one before.
  server.ask("CF.RESERVE cf 1024 EXPANSION 32768");
  std::string last;
  for (int i = 0; i < 100 && last.empty(); ++i) {
    const std::string reply = server.ask("CF.ADD cf same");
    if (reply != ":1") last = reply;
  }
  EXPECT_EQ(last, "-ERR Insufficient memory");
  EXPECT_EQ(server.ask("CF.INSERT cf ITEMS same same"), "*2 :-1 :-1");
  EXPECT_EQ(server.ask("CF.EXISTS cf same"), ":1");
  EXPECT_EQ(server.ask("CF.RESERVE small 1000"), "+OK");
}

// Each item may ask for 65,535 moves among full buckets; a server that did as it was asked would be
// killed by the limit that every test has.
TEST_F(CuckooHostile, ACommandOfFewWordsEnds) {
  ModuleServer server(folder());
  server.ask("CF.RESERVE cf 510 BUCKETSIZE 255 MAXITERATIONS 65535 EXPANSION 0");
  std::vector<std::string> words{"CF.INSERT", "cf", "ITEMS"};
  for (int i = 0; i < 2000; ++i) words.push_back(std::to_string(i));
  const auto reply = server.call(words);
  ASSERT_EQ(reply.items.size(), 2000U);
  EXPECT_EQ(reply.items.back().line, ":-1");
}

}  // namespace
}  // namespace bloomery
