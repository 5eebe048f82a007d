// SPDX-License-Identifier: Apache-2.0
// What a client of cuckoo filters sees, byte for byte.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/module/server_client.h"

namespace bloomery {
namespace {

using testing::ModuleServer;
using testing::ModuleTest;

class CuckooCommands : public ModuleTest {};

constexpr const char* kOtherType =
    "-WRONGTYPE Operation against a key holding the wrong kind of value";

TEST_F(CuckooCommands, AnswerInResp2) {
  ModuleServer server(folder());
  EXPECT_EQ(server.ask("CF.RESERVE cf 1000"), "+OK");
  EXPECT_EQ(server.ask("TYPE cf"), "+MBbloomCF");
  EXPECT_EQ(server.ask("CF.EXISTS cf k1"), ":0");
  EXPECT_EQ(server.ask("CF.ADD cf k1"), ":1");
  EXPECT_EQ(server.ask("CF.ADD cf k1"), ":1");
  EXPECT_EQ(server.ask("CF.ADDNX cf k1"), ":0");
  EXPECT_EQ(server.ask("CF.ADDNX cf k2"), ":1");
  EXPECT_EQ(server.ask("CF.COUNT cf k1"), ":2");
  EXPECT_EQ(server.ask("CF.MEXISTS cf k1 none k2"), "*3 :1 :0 :1");
  EXPECT_EQ(server.ask("CF.INSERT cf ITEMS k1 k3"), "*2 :1 :1");
  EXPECT_EQ(server.ask("CF.INSERTNX cf ITEMS k1 k4 k4"), "*3 :0 :1 :0");
  EXPECT_EQ(server.ask("CF.DEL cf k1"), ":1");
  EXPECT_EQ(server.ask("CF.DEL cf none"), ":0");
  EXPECT_EQ(server.ask("CF.INFO cf"),
            "*16 +Size :1080 +Number of buckets :512 +Number of filters :1 "
            "+Number of items inserted :5 +Number of items deleted :1 +Bucket size :2 "
            "+Expansion rate :1 +Max iterations :20");
  EXPECT_EQ(server.ask("CF.DEBUG cf"),
            "$79 bktsize:2 buckets:512 items:5 deletes:1 filters:1 max_iterations:20 "
            "expansion:1");
  EXPECT_EQ(server.ask("CF.COMPACT cf"), "+OK");
  EXPECT_EQ(server.ask("CF.DEBUG cf").substr(0, 45),
            "$79 bktsize:2 buckets:512 items:5 deletes:0 f");
}

TEST_F(CuckooCommands, AnswerInResp3) {
  ModuleServer server(folder());
  ASSERT_EQ(server.ask("HELLO 3")[0], '%');
  EXPECT_EQ(server.ask("CF.RESERVE cf 4 EXPANSION 0"), "+OK");
  EXPECT_EQ(server.ask("CF.SCANDUMP cf 0"), "*2 :0 _");
  EXPECT_EQ(server.ask("CF.ADD cf 1"), "#t");
  EXPECT_EQ(server.ask("CF.ADDNX cf 1"), "#f");
  EXPECT_EQ(server.ask("CF.INSERT cf ITEMS 2 3"), "*2 #t #t");
  EXPECT_EQ(server.ask("CF.INSERTNX cf ITEMS 1 4"), "*2 :0 :1");
  EXPECT_EQ(server.ask("CF.INSERT cf ITEMS 5 6"), "*2 #f #f");
  EXPECT_EQ(server.ask("CF.INSERTNX cf ITEMS 5 1"), "*2 :-1 :0");
  EXPECT_EQ(server.ask("CF.ADD cf 5"), "-Filter is full");
  EXPECT_EQ(server.ask("CF.EXISTS cf 1"), "#t");
  EXPECT_EQ(server.ask("CF.MEXISTS cf 1 7"), "*2 #t #f");
  EXPECT_EQ(server.ask("CF.MEXISTS none 1"), "*1 #f");
  EXPECT_EQ(server.ask("CF.COUNT cf 1"), ":1");
  EXPECT_EQ(server.ask("CF.COUNT none 1"), ":0");
  EXPECT_EQ(server.ask("CF.DEL cf 1"), "#t");
  EXPECT_EQ(server.ask("CF.DEL cf 1"), "#f");
  EXPECT_EQ(server.ask("CF.INFO cf"),
            "%8 +Size :60 +Number of buckets :2 +Number of filters :1 "
            "+Number of items inserted :3 +Number of items deleted :1 +Bucket size :2 "
            "+Expansion rate :0 +Max iterations :20");
}

TEST_F(CuckooCommands, RefuseWhatRedisBloomRefusesInItsOrder) {
  ModuleServer server(folder());
  server.ask("SET text a");
  server.ask("BF.ADD bloom a");
  server.ask("CF.RESERVE cf 100");
  const std::string range = "-Capacity must be in the range [2 * BUCKETSIZE, 1073741824]";
  const std::string insert_range =
      "-Capacity must be in the range [cf-bucket-size * 2, 1073741824]";
  const std::string iterations = "-MAXITERATIONS: value must be in the range [1, 65535]";
  const std::string bucket = "-BUCKETSIZE: value must be in the range [1, 255]";
  const std::string expansion = "-EXPANSION: value must be in the range [0, 32768]";
  const auto arity = [](const std::string& name) {
    return "-ERR wrong number of arguments for '" + name + "' command";
  };
  const std::vector<std::pair<std::string, std::string>> all{
      {"CF.RESERVE", arity("cf.reserve")},
      {"CF.RESERVE k", arity("cf.reserve")},
      {"CF.RESERVE k 100 EXPANSION", arity("cf.reserve")},
      {"CF.RESERVE k x", "-Bad capacity"},
      {"CF.RESERVE k 1e3 MAXITERATIONS 0", "-Bad capacity"},
      {"CF.RESERVE k 1 MAXITERATIONS x", "-Couldn't parse MAXITERATIONS"},
      {"CF.RESERVE k 1 MAXITERATIONS 0", iterations},
      {"CF.RESERVE k 1 maxiterations 65536", iterations},
      {"CF.RESERVE k 1 BUCKETSIZE 0 MAXITERATIONS -1", iterations},
      {"CF.RESERVE k 1 EXPANSION -1 BUCKETSIZE x", "-Couldn't parse BUCKETSIZE"},
      {"CF.RESERVE k 1 EXPANSION -1 BUCKETSIZE 256", bucket},
      {"CF.RESERVE k 1 EXPANSION 32769", expansion},
      {"CF.RESERVE k 1 EXPANSION x", "-Couldn't parse EXPANSION"},
      {"CF.RESERVE k 100 BUCKETSIZE 2 x EXPANSION", "-Couldn't parse EXPANSION"},
      {"CF.RESERVE k 3", range},
      {"CF.RESERVE k -5", range},
      {"CF.RESERVE k 9 BUCKETSIZE 5", range},
      {"CF.RESERVE k 1073741825", range},
      {"CF.RESERVE text 3", range},
      {"CF.RESERVE text 100", kOtherType},
      {"CF.RESERVE bloom 100", kOtherType},
      {"CF.RESERVE cf 100", "-ERR item exists"},
      {"CF.ADD cf", arity("cf.add")},
      {"CF.ADDNX cf a b", arity("cf.addnx")},
      {"CF.ADD text a", kOtherType},
      {"CF.ADDNX bloom a", kOtherType},
      {"CF.INSERT cf a", arity("cf.insert")},
      {"CF.INSERT cf ITEMS", arity("cf.insert")},
      {"CF.INSERT cf NOCREATE ITEMS", arity("cf.insert")},
      {"CF.INSERT cf NOCREATE CAPACITY", arity("cf.insert")},
      {"CF.INSERTNX cf NOCREATE NOCREATE", arity("cf.insertnx")},
      {"CF.INSERT cf CAPACITY x ITEMS a", "-Bad capacity"},
      {"CF.INSERT cf CAPACITY 3 ITEMS a", insert_range},
      {"CF.INSERT cf c -1 ITEMS a", insert_range},
      {"CF.INSERTNX cf CAPACITY 1073741825 ITEMS a", insert_range},
      {"CF.INSERT cf x ITEMS a", "-Unknown argument received"},
      {"CF.INSERT cf  ITEMS a", "-Unknown argument received"},
      {"CF.INSERT none NOCREATE ITEMS a", "-ERR not found"},
      {"CF.INSERT text NOCREATE ITEMS a", kOtherType},
      {"CF.INSERTNX text ITEMS a", kOtherType},
      {"CF.EXISTS cf", arity("cf.exists")},
      {"CF.EXISTS cf a b", arity("cf.exists")},
      {"CF.MEXISTS cf", arity("cf.mexists")},
      {"CF.COUNT cf a b", arity("cf.count")},
      {"CF.DEL cf", arity("cf.del")},
      {"CF.DEL none a", "-Not found"},
      {"CF.DEL text a", "-Not found"},
      {"CF.COMPACT", arity("cf.compact")},
      {"CF.COMPACT cf b", arity("cf.compact")},
      {"CF.COMPACT none", "-Cuckoo filter was not found"},
      {"CF.COMPACT bloom", "-Cuckoo filter was not found"},
      {"CF.INFO", arity("cf.info")},
      {"CF.INFO none", "-ERR not found"},
      {"CF.INFO bloom", kOtherType},
      {"CF.DEBUG none", "-ERR not found"},
      {"CF.DEBUG text", kOtherType},
      {"CF.SCANDUMP cf", arity("cf.scandump")},
      {"CF.SCANDUMP none x", "-Invalid position"},
      {"CF.SCANDUMP cf -1", "-Invalid position"},
      {"CF.SCANDUMP none 0", "-ERR not found"},
      {"CF.SCANDUMP bloom 0", kOtherType},
      {"CF.LOADCHUNK cf 1", arity("cf.loadchunk")},
      {"CF.LOADCHUNK text 0 a", "-Invalid position"},
      {"CF.LOADCHUNK text x a", "-Invalid position"},
      {"CF.LOADCHUNK cf 1 a", "-ERR item exists"},
      {"CF.LOADCHUNK text 1 a", kOtherType},
      {"CF.LOADCHUNK none 1 a", "-Invalid header"},
      {"CF.LOADCHUNK none 1 12345678901234567890123456789012345678", "-Couldn't create filter!"},
      {"CF.LOADCHUNK none 2 a", "-ERR not found"},
      {"CF.LOADCHUNK text -2 a", kOtherType},
      {"CF.LOADCHUNK cf -9223372036854775808 1", "-Couldn't load chunk!"},
      {"CF.LOADCHUNK cf 922337203685477588 1", "-Couldn't load chunk!"},
      {"CF.LOADCHUNK cf 4 abcd", "-Couldn't load chunk!"},
      {"BF.ADD cf a", kOtherType},
      {"BF.RESERVE cf 0.01 100", kOtherType},
  };
  for (const auto& [command, reply] : all) EXPECT_EQ(server.ask(command), reply) << command;
  EXPECT_EQ(server.call({"CF.LOADCHUNK", "cf", "4", ""}).shown(), "-Couldn't load chunk!");
  EXPECT_EQ(server.ask("DBSIZE"), ":3");
  EXPECT_EQ(server.ask("CF.EXISTS text a"), ":0");
  EXPECT_EQ(server.ask("CF.MEXISTS bloom a b"), "*2 :0 :0");
  EXPECT_EQ(server.ask("CF.COUNT text a"), ":0");
  EXPECT_EQ(server.ask("BF.EXISTS cf a"), ":0");
}

TEST_F(CuckooCommands, OptionsStandAnywhereAndNamesOfOptionsMayBeKeys) {
  ModuleServer server(folder());
  EXPECT_EQ(server.ask("CF.RESERVE EXPANSION 1000"), "+OK");
  EXPECT_EQ(server.ask("CF.RESERVE a 100 what ever Expansion 3 bucketsize 4"), "+OK");
  EXPECT_EQ(server.ask("CF.DEBUG a"),
            "$78 bktsize:4 buckets:32 items:0 deletes:0 filters:1 max_iterations:20 expansion:4");
  EXPECT_EQ(server.ask("CF.RESERVE b 67108864 BUCKETSIZE 255 MAXITERATIONS 65535 EXPANSION 32768"),
            "+OK");
  EXPECT_EQ(server.ask("CF.INSERT c cap 10000 Itm foo"), "*1 :1");
  EXPECT_EQ(server.ask("CF.DEBUG c"),
            "$80 bktsize:2 buckets:8192 items:1 deletes:0 filters:1 max_iterations:20 "
            "expansion:1");
}

TEST_F(CuckooCommands, DefaultsAreTheSettings) {
  ModuleServer server(folder(),
                      {"cf-bucket-size", "4", "cf-initial-size", "64", "cf-max-iterations", "7",
                       "cf-expansion-factor", "3", "CF_MAX_EXPANSIONS", "2"});
  EXPECT_EQ(server.ask("CF.ADD a x"), ":1");
  EXPECT_EQ(server.ask("CF.DEBUG a"),
            "$77 bktsize:4 buckets:16 items:1 deletes:0 filters:1 max_iterations:7 expansion:4");
  EXPECT_EQ(server.ask("CF.INSERT b CAPACITY 7 ITEMS x"),
            "-Capacity must be in the range [cf-bucket-size * 2, 1073741824]");
  EXPECT_EQ(server.ask("CF.INSERT b CAPACITY 8 ITEMS 1 2 3 4 5 6 7 8 9 10 11 12"),
            "*12 :1 :1 :1 :1 :1 :1 :1 :1 :1 :1 :1 :1");
  EXPECT_EQ(server.ask("CF.ADD b x"), "-Maximum expansions reached");
  EXPECT_EQ(server.ask("CF.INSERTNX b ITEMS 1"), "-Maximum expansions reached");
}

TEST_F(CuckooCommands, GrowUpToTheMostExpansions) {
  ModuleServer server(folder());
  server.ask("CF.RESERVE cf 4");
  for (int i = 0; i < 124; ++i) {
    ASSERT_EQ(server.call({"CF.ADD", "cf", std::to_string(i)}).line, ":1");
  }
  EXPECT_EQ(server.ask("CF.ADD cf 2048"), "-Maximum expansions reached");
  // If the first sub-filter would be one too many, there is no filter.
  ModuleServer none(folder("none"), {"cf-max-expansions", "1"});
  EXPECT_EQ(none.ask("CF.ADD cf x"), "-Maximum expansions reached");
  EXPECT_EQ(none.ask("EXISTS cf"), ":0");
}

TEST_F(CuckooCommands, MemoryIsThatOfTheFilterAndItsKey) {
  ModuleServer server(folder());
  server.ask("CF.RESERVE cf 1000");
  const int with_key = std::stoi(server.ask("MEMORY USAGE cf").substr(1));
  EXPECT_GE(with_key, 1080);  // Valkey counts the value alone
  EXPECT_LT(with_key, 1080 + 100);
}

TEST_F(CuckooCommands, TellWatchersWhatChanged) {
  ModuleServer server(folder(), {}, {"--notify-keyspace-events", "KEA"});
  testing::Client watcher(server.socket());
  watcher.ask("SUBSCRIBE __keyspace@0__:cf");
  const auto next = [&] { return watcher.read_reply().items[2].text; };
  server.ask("CF.ADD cf a");
  EXPECT_EQ(next(), "cf.reserve");
  EXPECT_EQ(next(), "cf.add");
  server.ask("CF.ADDNX cf a");
  server.ask("CF.DEL cf none");
  server.ask("CF.COMPACT cf");
  server.ask("CF.INSERTNX cf ITEMS a");
  server.ask("CF.DEL cf a");
  EXPECT_EQ(next(), "cf.del");
  server.ask("CF.COMPACT cf");
  EXPECT_EQ(next(), "cf.compact");
  server.ask("CF.ADD cf a");
  EXPECT_EQ(next(), "cf.add");
  const std::string header = server.call({"CF.SCANDUMP", "cf", "0"}).items[1].text;
  server.ask("DEL cf");
  EXPECT_EQ(next(), "del");
  server.call({"CF.LOADCHUNK", "cf", "1", header});
  EXPECT_EQ(next(), "cf.loadchunk");
}

}  // namespace
}  // namespace bloomery
