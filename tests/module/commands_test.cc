// SPDX-License-Identifier: Apache-2.0
// What a client sees, byte for byte.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/module/server_client.h"

namespace bloomery {
namespace {

using testing::ModuleServer;
using testing::ModuleTest;
using testing::Reply;

class Commands : public ModuleTest {};

TEST_F(Commands, AnswerInResp2) {
  ModuleServer server(folder());
  EXPECT_EQ(server.ask("BF.RESERVE bf 0.001 100"), "+OK");
  EXPECT_EQ(server.ask("BF.ADD bf foo"), ":1");
  EXPECT_EQ(server.ask("BF.ADD bf foo"), ":0");
  EXPECT_EQ(server.ask("BF.MADD bf foo bar bar"), "*3 :0 :1 :0");
  EXPECT_EQ(server.ask("BF.INSERT bf ERROR 0.1 ITEMS foo baz"), "*2 :0 :1");
  EXPECT_EQ(server.ask("BF.EXISTS bf foo"), ":1");
  EXPECT_EQ(server.ask("BF.MEXISTS bf nonexist foo"), "*2 :0 :1");
  EXPECT_EQ(server.ask("BF.CARD bf"), ":3");
  EXPECT_EQ(server.ask("BF.INFO bf"),
            "*10 +Capacity :100 +Size :296 +Number of filters :1 +Number of items inserted :3 "
            "+Expansion rate :2");
  EXPECT_EQ(server.ask("BF.INFO bf capacity"), "*1 :100");
  EXPECT_EQ(server.ask("BF.INFO bf SIZE"), "*1 :296");
  EXPECT_EQ(server.ask("BF.INFO bf Filters"), "*1 :1");
  EXPECT_EQ(server.ask("BF.INFO bf items"), "*1 :3");
  EXPECT_EQ(server.ask("BF.INFO bf expansion"), "*1 :2");
  EXPECT_EQ(server.ask("BF.DEBUG bf"),
            "*2 $6 size:3 $75 bytes:200 bits:1600 hashes:11 hashwidth:64 capacity:100 size:3 "
            "ratio:0.0005");
}

TEST_F(Commands, AnswerInResp3) {
  ModuleServer server(folder());
  ASSERT_EQ(server.ask("HELLO 3")[0], '%');
  EXPECT_EQ(server.ask("BF.ADD bf foo"), "#t");
  EXPECT_EQ(server.ask("BF.ADD bf foo"), "#f");
  EXPECT_EQ(server.ask("BF.MADD bf foo bar"), "*2 #f #t");
  EXPECT_EQ(server.ask("BF.INSERT bf ITEMS foo baz"), "*2 #f #t");
  EXPECT_EQ(server.ask("BF.EXISTS bf foo"), "#t");
  EXPECT_EQ(server.ask("BF.MEXISTS none foo"), "*1 #f");
  EXPECT_EQ(server.ask("BF.CARD bf"), ":3");
  EXPECT_EQ(server.ask("BF.INFO bf"),
            "%5 +Capacity :100 +Size :240 +Number of filters :1 +Number of items inserted :3 "
            "+Expansion rate :2");
  EXPECT_EQ(server.ask("BF.INFO bf size"), "%1 +Size :240");
  EXPECT_EQ(server.ask("BF.INFO bf items"), "%1 +Number of items inserted :3");
  EXPECT_EQ(server.ask("BF.RESERVE still 0.01 100 NONSCALING"), "+OK");
  EXPECT_EQ(server.ask("BF.INFO still expansion"), "%1 +Expansion rate _");
}

TEST_F(Commands, GrowAsRedisBloomDoes) {
  ModuleServer server(folder());
  server.ask("BF.RESERVE bf 0.01 10");
  for (int i = 0; i < 100; ++i) server.call({"BF.ADD", "bf", std::to_string(i)});
  const Reply debug = server.call({"BF.DEBUG", "bf"});
  ASSERT_EQ(debug.items.size(), 5U);
  EXPECT_EQ(debug.items[0].text, "size:99");
  EXPECT_EQ(debug.items[4].text,
            "bytes:160 bits:1280 hashes:11 hashwidth:64 capacity:80 size:29 ratio:0.000625");
  // Adding one by one and adding together make equal filters.
  server.ask("BF.RESERVE together 0.01 10");
  std::vector<std::string> all{"BF.MADD", "together"};
  for (int i = 0; i < 100; ++i) all.push_back(std::to_string(i));
  server.call(all);
  EXPECT_EQ(server.call({"BF.DEBUG", "together"}).shown(), debug.shown());
}

TEST_F(Commands, MemoryIsThatOfTheFilterAndItsKey) {
  ModuleServer server(folder());
  server.ask("BF.RESERVE usage 0.05 1000");
  EXPECT_EQ(server.ask("BF.INFO usage size"), "*1 :1056");
  const int with_key = std::stoi(server.ask("MEMORY USAGE usage").substr(1));
  EXPECT_GE(with_key, 1056);  // Valkey counts the value alone
  EXPECT_LT(with_key, 1056 + 100);
}

TEST_F(Commands, EndABatchWhereTheFilterIsFull) {
  ModuleServer server(folder());
  EXPECT_EQ(server.ask("BF.RESERVE bf 0.01 3 NONSCALING"), "+OK");
  EXPECT_EQ(server.ask("BF.INFO bf expansion"), "*1 $-1");
  EXPECT_EQ(server.ask("BF.MADD bf a a b c d e"), "*5 :1 :0 :1 :1 -ERR non scaling filter is full");
  EXPECT_EQ(server.ask("BF.ADD bf d"), "-ERR non scaling filter is full");
  EXPECT_EQ(server.ask("BF.ADD bf a"), ":0");
  EXPECT_EQ(server.ask("BF.CARD bf"), ":3");
  EXPECT_EQ(server.ask("BF.INSERT zero CAPACITY 1 EXPANSION 0 ITEMS a b"),
            "*2 :1 -ERR non scaling filter is full");
}

TEST_F(Commands, GoOnThroughABatchWhereTheFilterCannotGrow) {
  ModuleServer server(folder());
  EXPECT_EQ(server.ask("BF.RESERVE bf 0.01 1000 EXPANSION 32768"), "+OK");
  const std::string used = server.call({"INFO", "memory"}).text;
  const std::string name = "used_memory:";
  const auto most = std::stoull(used.substr(used.find(name) + name.size())) + (10 << 20);
  server.ask("CONFIG SET maxmemory " + std::to_string(most));
  std::vector<std::string> all{"BF.MADD", "bf"};
  for (int i = 0; i < 1100; ++i) all.push_back(std::to_string(i));
  server.call(all);
  EXPECT_EQ(server.ask("BF.CARD bf"), ":1000");
  EXPECT_EQ(server.ask("BF.MADD bf 1 new 2 newer"),
            "*4 :0 -ERR problem inserting into filter :0 -ERR problem inserting into filter");
  EXPECT_EQ(server.ask("BF.ADD bf new"), "-ERR problem inserting into filter");
  EXPECT_EQ(server.ask("BF.ADD bf 1"), ":0");
}

TEST_F(Commands, RefuseInTheWordsOfRedisBloom) {
  ModuleServer server(folder());
  server.ask("SET text foo");
  server.ask("BF.ADD bf foo");
  const std::string wrong_type =
      "-WRONGTYPE Operation against a key holding the wrong kind of value";
  EXPECT_EQ(server.ask("BF.RESERVE bf 0.01 100"), "-ERR item exists");
  EXPECT_EQ(server.ask("BF.RESERVE text 0.01 100"), wrong_type);
  EXPECT_EQ(server.ask("BF.RESERVE text 0.01 0"),
            "-ERR capacity must be in the range [1, 1073741824]");
  EXPECT_EQ(server.ask("BF.RESERVE new 5e-324 100"), "-ERR could not create filter");
  EXPECT_EQ(server.ask("BF.RESERVE new 0.01 100 NONSCALING EXPANSION 1"),
            "-Nonscaling filters cannot expand");
  EXPECT_EQ(server.ask("BF.INSERT new NOCREATE ITEMS a"), "-ERR not found");
  EXPECT_EQ(server.ask("BF.INSERT new CAPACITY 0 ITEMS a"), "-Bad capacity");
  EXPECT_EQ(server.ask("BF.INSERT new UNKNOWN ITEMS a"), "-Unknown argument received");
  EXPECT_EQ(server.ask("BF.INSERT new NOCREATE ITEMS"),
            "-ERR wrong number of arguments for 'bf.insert' command");
  for (const char* command :
       {"BF.ADD text a", "BF.MADD text a", "BF.INSERT text ITEMS a", "BF.CARD text", "BF.INFO text",
        "BF.DEBUG text", "BF.SCANDUMP text 0", "BF.LOADCHUNK text 1 x"}) {
    EXPECT_EQ(server.ask(command), wrong_type) << command;
  }
  for (const char* command :
       {"BF.INFO new", "BF.DEBUG new", "BF.SCANDUMP new 0", "BF.LOADCHUNK new 2 x"}) {
    EXPECT_EQ(server.ask(command), "-ERR not found") << command;
  }
  EXPECT_EQ(server.ask("BF.EXISTS text a"), ":0");
  EXPECT_EQ(server.ask("BF.MEXISTS text a b"), "*2 :0 :0");
  EXPECT_EQ(server.ask("BF.EXISTS new a"), ":0");
  EXPECT_EQ(server.ask("BF.CARD new"), ":0");
  EXPECT_EQ(server.ask("BF.INFO bf wrong"), "-Invalid information value");
  EXPECT_EQ(server.ask("BF.SCANDUMP bf x"), "-Second argument must be numeric");
  EXPECT_EQ(server.ask("BF.LOADCHUNK bf x data"), "-ERR Second argument must be numeric");
  EXPECT_EQ(server.ask("EXISTS new"), ":0");
}

TEST_F(Commands, StoreTheExpansionOfFiltersThatDoNotGrow) {
  ModuleServer server(folder(), {"bf-expansion-factor", "7"});
  const auto growth = [&](const char* key) {
    return static_cast<int>(server.call({"BF.SCANDUMP", key, "0"}).items[1].text[16]);
  };
  server.ask("BF.RESERVE reserved 0.01 10 NONSCALING");
  server.ask("BF.INSERT inserted NONSCALING ITEMS a");
  server.ask("BF.INSERT said NONSCALING EXPANSION 3 ITEMS a");
  server.ask("BF.RESERVE zero 0.01 10 EXPANSION 0 NONSCALING");
  EXPECT_EQ(growth("reserved"), 7);
  EXPECT_EQ(growth("inserted"), 7);
  EXPECT_EQ(growth("said"), 3);
  EXPECT_EQ(growth("zero"), 0);
  for (const char* key : {"reserved", "inserted", "said", "zero"}) {
    EXPECT_EQ(server.ask(std::string("BF.INFO ") + key + " expansion"), "*1 $-1") << key;
  }
}

// A chain that says it is full, of more keys than any memory holds, in one byte.
TEST_F(Commands, WorkOnChainsThatNoCommandMakes) {
  ModuleServer server(folder());
  server.ask("BF.RESERVE bf 0.1 1 EXPANSION 1");
  std::string header = server.call({"BF.SCANDUMP", "bf", "0"}).items[1].text;
  const auto put = [&](std::size_t at, auto value) {
    std::memcpy(&header[at], &value, sizeof value);
  };
  constexpr std::uint64_t kKeys = 361'141'753'813'009;
  constexpr std::size_t kLink = 20;
  put(0, kKeys);
  put(12, std::uint32_t{1});  // 32-bit hash
  put(kLink, std::uint64_t{1});
  put(kLink + 8, std::uint64_t{8});
  put(kLink + 16, kKeys);
  put(kLink + 24, 0.1);
  put(kLink + 32, 0.1);
  put(kLink + 40, std::uint32_t{1});
  put(kLink + 44, kKeys);
  EXPECT_EQ(server.call({"BF.LOADCHUNK", "odd", "1", header}).shown(), "+OK");
  EXPECT_EQ(server.ask("BF.ADD odd a"), "-ERR problem inserting into filter");
  EXPECT_EQ(server.ask("BF.LOADCHUNK odd 71752852194637 HELLO"),
            "-ERR invalid offset - no link found");
  EXPECT_EQ(server.ask("BF.LOADCHUNK odd 2 x"), "+OK");
  const std::string debug = server.ask("BF.DEBUG odd");
  EXPECT_NE(debug.find("bytes:1 bits:8 hashes:1 hashwidth:32"), std::string::npos) << debug;
  EXPECT_EQ(server.ask("COPY odd copy"), ":1");
  EXPECT_EQ(server.ask("DEBUG RELOAD"), "+OK");
  EXPECT_EQ(server.ask("BF.DEBUG odd"), debug);
  EXPECT_EQ(server.ask("BF.DEBUG copy"), debug);
}

TEST_F(Commands, TakeHeadersThatAreTooLargeForBadOnes) {
  ModuleServer server(folder());
  server.ask("BF.RESERVE bf 0.01 5");
  std::string header = server.call({"BF.SCANDUMP", "bf", "0"}).items[1].text;
  const std::size_t bytes = 20;
  header[bytes + 7] = 0x03;  // 2^57 more bytes, and eight times as many bits
  header[bytes + 8 + 7] = 0x18;
  EXPECT_EQ(server.call({"BF.LOADCHUNK", "new", "1", header}).shown(), "-ERR received bad data");
  EXPECT_EQ(server.ask("EXISTS new"), ":0");
}

TEST_F(Commands, CountTheirWords) {
  ModuleServer server(folder());
  const auto arity = [](const char* name) {
    return std::string("-ERR wrong number of arguments for '") + name + "' command";
  };
  EXPECT_EQ(server.ask("BF.RESERVE k 0.01"), arity("bf.reserve"));
  EXPECT_EQ(server.ask("BF.RESERVE k 0.01 1 a b c d"), arity("bf.reserve"));
  EXPECT_EQ(server.ask("BF.ADD k"), arity("bf.add"));
  EXPECT_EQ(server.ask("BF.ADD k a b"), arity("bf.add"));
  EXPECT_EQ(server.ask("BF.MADD k"), arity("bf.madd"));
  EXPECT_EQ(server.ask("BF.INSERT k a"), arity("bf.insert"));
  EXPECT_EQ(server.ask("BF.EXISTS k a b"), arity("bf.exists"));
  EXPECT_EQ(server.ask("BF.MEXISTS k"), arity("bf.mexists"));
  EXPECT_EQ(server.ask("BF.CARD k a"), arity("bf.card"));
  EXPECT_EQ(server.ask("BF.INFO k size x"), arity("bf.info"));
  EXPECT_EQ(server.ask("BF.DEBUG k a"), arity("bf.debug"));
  EXPECT_EQ(server.ask("BF.SCANDUMP k"), arity("bf.scandump"));
  EXPECT_EQ(server.ask("BF.LOADCHUNK k 1"), arity("bf.loadchunk"));
}

TEST_F(Commands, TakeItemsOfAnyBytes) {
  ModuleServer server(folder());
  const std::string zeros(5, '\0');
  const std::string large(1 << 20, 'x');
  for (const std::string& item : {std::string(), zeros, large}) {
    EXPECT_EQ(server.call({"BF.ADD", "EXPANSION", item}).shown(), ":1");
    EXPECT_EQ(server.call({"BF.EXISTS", "EXPANSION", item}).shown(), ":1");
  }
  EXPECT_EQ(server.ask("BF.EXISTS EXPANSION x"), ":0");
}

TEST_F(Commands, FollowTheSettingsOfTheModule) {
  ModuleServer server(folder(), {"ERROR_RATE", "0.001", "bf-initial-size", "200",
                                 "bf-expansion-factor", "3", "bf-max-capacity", "5000"});
  server.ask("BF.ADD bf a");
  EXPECT_EQ(server.ask("BF.INFO bf capacity"), "*1 :200");
  EXPECT_EQ(server.ask("BF.INFO bf expansion"), "*1 :3");
  EXPECT_EQ(server.ask("BF.RESERVE large 0.01 5001"),
            "-ERR capacity must be in the range [1, 5000]");
}

TEST_F(Commands, AreNotRegisteredTwice) {
  ModuleServer server(folder(), {}, {"--enable-module-command", "yes"});
  const std::string other = folder("other") + "/other.so";
  std::filesystem::copy_file(BLOOMERY_MODULE_FILE, other);
  EXPECT_EQ(server.ask("MODULE LOAD " + other).substr(0, 4), "-ERR");
  EXPECT_EQ(server.ask("BF.ADD bf a"), ":1");
  std::ifstream log(folder() + "/redis.log");
  const std::string lines{std::istreambuf_iterator<char>(log), {}};
  EXPECT_NE(lines.find("bloomery: the server has a module `bf` already"), std::string::npos);
}

TEST_F(Commands, NeedSettingsThatAreUnderstood) {
  EXPECT_THROW(ModuleServer(folder(), {"bf-error-rate", "2"}), std::runtime_error);
  std::ifstream log(folder() + "/redis.log");
  const std::string lines{std::istreambuf_iterator<char>(log), {}};
  EXPECT_NE(lines.find("bloomery: Value for `bf-error-rate` must be in the range"),
            std::string::npos);
}

TEST_F(Commands, TellThoseWhoWatchOnlyOfChanges) {
  ModuleServer server(folder(), {}, {"--notify-keyspace-events", "Ed"});
  testing::Client listener(server.socket());
  listener.call({"SUBSCRIBE", "__keyevent@0__:bf.add", "__keyevent@0__:bf.reserve"});
  server.ask("WATCH bf");
  testing::Client other(server.socket());
  EXPECT_EQ(other.ask("BF.ADD bf a"), ":1");
  server.ask("MULTI");
  server.ask("PING");
  EXPECT_EQ(server.ask("EXEC"), "*-1");
  server.ask("WATCH bf");
  EXPECT_EQ(other.ask("BF.ADD bf a"), ":0");
  server.ask("MULTI");
  server.ask("PING");
  EXPECT_EQ(server.ask("EXEC"), "*1 +PONG");
  EXPECT_EQ(other.ask("BF.MADD bf a b"), "*2 :0 :1");
  // The reply to the second channel, and then the events.
  std::vector<std::string> heard;
  for (int i = 0; i < 4; ++i) heard.push_back(listener.read_reply().shown());
  EXPECT_EQ(heard[1], "*3 $7 message $25 __keyevent@0__:bf.reserve $2 bf");
  EXPECT_EQ(heard[2], "*3 $7 message $21 __keyevent@0__:bf.add $2 bf");
  EXPECT_EQ(heard[3], heard[2]);
}

TEST_F(Commands, CopyAndUnlinkLargeFilters) {
  ModuleServer server(folder());
  EXPECT_EQ(server.ask("BF.RESERVE bf 0.01 5000000"), "+OK");
  server.ask("BF.MADD bf a b c");
  EXPECT_EQ(server.ask("COPY bf copy"), ":1");
  EXPECT_EQ(server.ask("DEBUG DIGEST-VALUE bf").substr(5),
            server.ask("DEBUG DIGEST-VALUE copy").substr(5));
  EXPECT_EQ(server.ask("UNLINK bf"), ":1");
  EXPECT_EQ(server.ask("BF.MEXISTS copy a b c"), "*3 :1 :1 :1");
  server.ask("BF.ADD copy d");
  EXPECT_EQ(server.ask("FLUSHALL"), "+OK");
}

}  // namespace
}  // namespace bloomery
