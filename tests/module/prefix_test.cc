// SPDX-License-Identifier: Apache-2.0
// Loaded under a prefix, the module lives beside RedisBloom. Here, that is itself without one.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/module/server_client.h"

namespace bloomery {
namespace {

using testing::ModuleServer;
using testing::ModuleTest;
using testing::Reply;

class Prefix : public ModuleTest {
 protected:
  // The options that load a second module, from a file of its own as RedisBloom's would be.
  std::vector<std::string> beside(std::vector<std::string> options = {}) const {
    const std::string other = folder("other") + "/other.so";
    std::filesystem::copy_file(BLOOMERY_MODULE_FILE, other,
                               std::filesystem::copy_options::overwrite_existing);
    options.insert(options.end(), {"--loadmodule", other, "prefix", "My", "bf-initial-size", "50"});
    return options;
  }
};

TEST_F(Prefix, GivesCommandsTypesAndSettingsOtherNames) {
  ModuleServer server(folder(), {}, beside());
  EXPECT_EQ(server.ask("BF.ADD theirs a"), ":1");
  EXPECT_EQ(server.ask("MY.BF.ADD ours a"), ":1");
  EXPECT_EQ(server.ask("my.bf.info ours capacity"), "*1 :50");
  EXPECT_EQ(server.ask("BF.INFO theirs capacity"), "*1 :100");
  EXPECT_EQ(server.ask("MY.BF.ADD theirs a").substr(0, 10), "-WRONGTYPE");
  EXPECT_EQ(server.ask("BF.ADD ours a").substr(0, 10), "-WRONGTYPE");
  EXPECT_EQ(server.ask("TYPE theirs"), "+MBbloom--");
  EXPECT_EQ(server.ask("TYPE ours"), "+bloomeryb");
  EXPECT_EQ(server.ask("MY.BLOOM.RESERVE native 0.01 100"), "+OK");
  EXPECT_EQ(server.ask("MY.BLOOM.ADD native a"), ":1");
  EXPECT_EQ(server.ask("TYPE native"), "+bloomeryf");
  EXPECT_EQ(server.ask("BLOOM.ADD native a").substr(0, 10), "-WRONGTYPE");
  EXPECT_EQ(server.ask("MY.BF.ADD ours"), "-ERR wrong number of arguments for 'my.bf.add' command");
  EXPECT_EQ(server.ask("COMMAND GETKEYS my.bf.madd key a"), "*1 $3 key");
  EXPECT_EQ(server.ask("DEBUG RELOAD"), "+OK");
  EXPECT_EQ(server.ask("MY.BF.MEXISTS ours a b"), "*2 :1 :0");
  EXPECT_EQ(server.ask("BF.MEXISTS theirs a b"), "*2 :1 :0");
  EXPECT_EQ(server.ask("MY.BLOOM.CHECK native a b"), "*2 :1 :0");
  if (server.ask("CONFIG GET my.bf-initial-size") != "*0") {
    server.ask("CONFIG SET my.bf-initial-size 60");
    server.ask("MY.BF.ADD after a");
    EXPECT_EQ(server.ask("MY.BF.INFO after capacity"), "*1 :60");
    EXPECT_EQ(server.ask("BF.ADD after2 a"), ":1");
    EXPECT_EQ(server.ask("BF.INFO after2 capacity"), "*1 :100");
  }
}

TEST_F(Prefix, HoldsForCuckooFiltersInTheAppendOnlyFileToo) {
  const std::vector<std::string> options =
      beside({"--appendonly", "yes", "--aof-use-rdb-preamble", "no"});
  std::string before;
  {
    ModuleServer server(folder(), {}, options);
    EXPECT_EQ(server.ask("MY.CF.ADD made a"), ":1");
    server.ask("MY.CF.INSERT rewritten ITEMS a b c");
    EXPECT_EQ(server.ask("TYPE made"), "+bloomeryc");
    EXPECT_EQ(server.ask("CF.ADD made a").substr(0, 10), "-WRONGTYPE");
    server.ask("BGREWRITEAOF");
    for (int i = 0; i < 100; ++i) {
      if (server.call({"INFO", "persistence"}).text.find("aof_rewrite_in_progress:0") !=
          std::string::npos) {
        break;
      }
      usleep(50'000);
    }
    server.ask("MY.CF.ADD made b");
    EXPECT_EQ(server.ask("MY.CF.INSERT later CAPACITY 50 ITEMS a b"), "*2 :1 :1");
    before = server.call({"DUMP", "later"}).text;
  }
  ModuleServer server(folder(), {}, options);
  EXPECT_EQ(server.ask("MY.CF.MEXISTS made a b c"), "*3 :1 :1 :0");
  EXPECT_EQ(server.ask("MY.CF.MEXISTS rewritten a b c d"), "*4 :1 :1 :1 :0");
  EXPECT_EQ(server.call({"DUMP", "later"}).text, before);
}

TEST_F(Prefix, LetsDumpsGoEitherWay) {
  ModuleServer server(folder(), {}, beside());
  server.ask("BF.INSERT theirs CAPACITY 20 ITEMS a b c");
  const Reply header = server.call({"BF.SCANDUMP", "theirs", "0"});
  const Reply bits = server.call({"BF.SCANDUMP", "theirs", "1"});
  server.call({"MY.BF.LOADCHUNK", "ours", "1", header.items[1].text});
  server.call({"MY.BF.LOADCHUNK", "ours", bits.items[0].line.substr(1), bits.items[1].text});
  EXPECT_EQ(server.ask("MY.BF.DEBUG ours"), server.ask("BF.DEBUG theirs"));
  EXPECT_EQ(server.ask("MY.BF.MEXISTS ours a b c d"), "*4 :1 :1 :1 :0");
}

TEST_F(Prefix, IsInTheAppendOnlyFile) {
  const auto options = beside({"--appendonly", "yes", "--aof-use-rdb-preamble", "no"});
  std::string before;
  const auto dumps = [](ModuleServer& server) {
    std::string all;
    for (const char* key :
         {"added", "reserved", "still", "inserted", "native", "window", "theirs"}) {
      all += server.call({"DUMP", key}).text;
    }
    return all;
  };
  {
    ModuleServer server(folder(), {}, options);
    server.ask("BF.ADD theirs a");
    server.ask("MY.BF.ADD added a");
    server.ask("MY.BF.MADD added b c");
    server.ask("MY.BF.RESERVE reserved 0.001 30");
    server.ask("MY.BF.RESERVE still 0.001 30 NONSCALING");
    server.ask("MY.BF.INSERT inserted CAPACITY 3 ITEMS a b c d e");
    server.ask("MY.BLOOM.RESERVE native 0.01 30 SECRET");
    server.ask("MY.BLOOM.MADD native a b");
    server.ask("MY.BLOOM.RESERVE window 0.01 30 WINDOW 3600");
    server.ask("MY.BLOOM.ADD window a");
    before = dumps(server);
  }
  {
    ModuleServer server(folder(), {}, options);  // of commands
    EXPECT_EQ(dumps(server), before);
    server.ask("BGREWRITEAOF");
    for (int i = 0; i < 100; ++i) {
      if (server.call({"INFO", "persistence"}).text.find("aof_rewrite_in_progress:0") !=
          std::string::npos) {
        break;
      }
      usleep(50'000);
    }
  }
  ModuleServer server(folder(), {}, options);  // of chunks
  EXPECT_EQ(dumps(server), before);
}

TEST_F(Prefix, NeedsAFileOfItsOwn) {
  const std::vector<std::string> options{
      "--appendonly", "yes", "--aof-use-rdb-preamble", "no", "--enable-module-command", "yes"};
  {
    ModuleServer server(folder(), {}, options);
    server.ask("BF.ADD theirs before");
    server.ask("CF.ADD cuckoo before");
    for (const std::vector<std::string>& more :
         {std::vector<std::string>{"prefix", "my"}, {}, {"prefix", "my", "bf-error-rate", "2"}}) {
      std::vector<std::string> words{"MODULE", "LOAD", BLOOMERY_MODULE_FILE};
      words.insert(words.end(), more.begin(), more.end());
      EXPECT_EQ(server.call(words).line.substr(0, 4), "-ERR");
    }
    EXPECT_EQ(server.ask("MY.BF.ADD ours a").substr(0, 4), "-ERR");
    EXPECT_EQ(server.ask("BF.EXISTS theirs before"), ":1");
    EXPECT_EQ(server.ask("CF.EXISTS cuckoo before"), ":1");
    EXPECT_EQ(server.ask("BF.ADD theirs after"), ":1");
    EXPECT_EQ(server.ask("BF.ADD made after"), ":1");
    EXPECT_EQ(server.ask("DEBUG RELOAD"), "+OK");
    EXPECT_EQ(server.ask("BF.MEXISTS theirs before after other"), "*3 :1 :1 :0");
  }
  ModuleServer server(folder(), {}, options);
  EXPECT_EQ(server.ask("BF.MEXISTS theirs before after other"), "*3 :1 :1 :0");
  EXPECT_EQ(server.ask("BF.MEXISTS made after other"), "*2 :1 :0");
}

TEST_F(Prefix, IsThatOfAName) {
  for (const char* prefix : {"a b", "a.b", "", "abcdefghijklmnopqrstu"}) {
    EXPECT_THROW(ModuleServer(folder(), {"prefix", prefix}), std::runtime_error) << prefix;
  }
}

}  // namespace
}  // namespace bloomery
