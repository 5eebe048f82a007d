// SPDX-License-Identifier: Apache-2.0
// Append-only files that old releases of RedisBloom wrote: tests/golden/foreign/redisbloom has
// some, each of a filter `bf` with the items b0 to b399 and, from 2.0 on, cuckoo filters with c0 to
// c1199.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bloomery/format/redisbloom/redisbloom_filter.h"
#include "tests/module/server_client.h"
#include "tests/module/server_state.h"

namespace bloomery {
namespace {

using testing::ModuleServer;
using testing::ModuleTest;
using testing::Reply;

class OldAppendOnly : public ModuleTest {
 protected:
  static constexpr int kBloomItems = 400;
  static constexpr int kCuckooItems = 1200;
  static constexpr int kLaterItems = 3000;

  static std::vector<std::string> options() {
    return {"--appendonly", "yes", "--aof-use-rdb-preamble", "no"};
  }
  // Puts the file where servers looked for it when there was one file.
  void put(const std::string& text) const {
    std::ofstream(folder() + "/appendonly.aof", std::ios::binary) << text;
  }
  void put_golden(const std::string& release) const {
    std::filesystem::copy_file("golden/foreign/redisbloom/redisbloom_" + release + ".aof",
                               folder() + "/appendonly.aof");
  }
  static std::string command(const std::vector<std::string>& words) {
    std::string text = "*" + std::to_string(words.size()) + "\r\n";
    for (const std::string& each : words) {
      text += "$" + std::to_string(each.size()) + "\r\n" + each + "\r\n";
    }
    return text;
  }
  // The items NAME0, NAME1, ..., by commands after what the file has.
  void add_afterwards(const std::string& key, const std::string& name, int items) const {
    std::ofstream file(folder() + "/appendonly.aof", std::ios::binary | std::ios::app);
    std::vector<std::string> batch{"BF.MADD", key};
    for (int i = 0; i < items; ++i) {
      const std::string item = name + std::to_string(i);
      if (i % 10 == 0) {
        file << command({"BF.ADD", key, item});
      } else {
        batch.push_back(item);
      }
    }
    file << command(batch);
  }
  static void rewrite(ModuleServer& server) {
    server.ask("BGREWRITEAOF");
    EXPECT_TRUE(testing::comes_true(
        [&] { return testing::info(server.client, "aof_rewrite_in_progress") == "0"; }));
  }
  // How many of the items NAME0, NAME1, ... a filter has; an error is -1.
  static int found(ModuleServer& server, const char* ask, const char* key, const std::string& name,
                   int items) {
    std::vector<std::string> words{ask, key};
    for (int i = 0; i < items; ++i) words.push_back(name + std::to_string(i));
    const Reply reply = server.call(words);
    if (reply.line[0] == '-') return -1;
    int count = 0;
    for (const Reply& each : reply.items) count += each.line == ":1" ? 1 : 0;
    return count;
  }
};

// Old releases made links of other sizes than this one: whatever of a growing filter a file has as
// bits and whatever as items, all of it is there.
TEST_F(OldAppendOnly, HasAllMembers) {
  for (const char* release : {"1.0.3", "2.0.3", "2.2.0", "2.2.4", "2.2.10"}) {
    std::filesystem::remove_all(folder());
    put_golden(release);
    add_afterwards("bf", "later", kLaterItems);
    for (int i = 0; i < 2; ++i) {  // as it was, and rewritten
      ModuleServer server(folder(), {}, options());
      EXPECT_EQ(found(server, "BLOOM.CHECK", "bf", "b", kBloomItems), kBloomItems) << release;
      EXPECT_EQ(found(server, "BLOOM.CHECK", "bf", "later", kLaterItems), kLaterItems) << release;
      EXPECT_LT(found(server, "BLOOM.CHECK", "bf", "other", kBloomItems), 40) << release;
      EXPECT_EQ(server.ask("BF.MADD bf b0 more" + std::to_string(i)), "*2 :0 :1") << release;
      if (release[0] == '2') {
        EXPECT_EQ(found(server, "CF.MEXISTS", "cf", "c", kCuckooItems), kCuckooItems) << release;
        EXPECT_LT(found(server, "CF.MEXISTS", "cf", "other", kCuckooItems), 300) << release;
      }
      rewrite(server);
    }
  }
}

// 2.2.0 to 2.2.6 left out what is larger in a cuckoo filter's later sub-filters.
TEST_F(OldAppendOnly, SaysAbsentOfNoFilterThatItHasInParts) {
  for (const char* release : {"2.2.0", "2.2.4", "2.2.10"}) {
    std::filesystem::remove_all(folder());
    put_golden(release);
    for (int i = 0; i < 2; ++i) {
      ModuleServer server(folder(), {}, options());
      if (std::string(release) == "2.2.10") {
        EXPECT_EQ(found(server, "CF.MEXISTS", "cf3", "c", kCuckooItems), kCuckooItems);
      } else {
        EXPECT_TRUE(server.ask("CF.EXISTS cf3 nowhere").starts_with("-NOTREADY")) << release;
        EXPECT_EQ(found(server, "CF.MEXISTS", "cf3", "c", kCuckooItems), -1) << release;
      }
      rewrite(server);
    }
  }
}

TEST_F(OldAppendOnly, TakesWhatAPrimaryOfItsTimeAccepted) {
  std::string text = command({"SELECT", "0"});
  text += command({"BF.RESERVE", "high", "0.5", "100"});
  text += command({"BF.RESERVE", "wide", "0.01", "10", "EXPANSION", "70000"});
  text += command({"BF.INSERT", "made", "ERROR", "0.6", "EXPANSION", "40000", "ITEMS", "a", "b"});
  text += command({"BF.RESERVE", "still", "0.01", "10", "EXPANSION", "0"});
  text += command({"CF.INSERT", "cf", "CAPACITY", "4", "ITEMS", "a", "b"});
  for (const char* key : {"high", "wide", "still"}) text += command({"BF.MADD", key, "a", "b"});
  put(text);
  ModuleServer server(folder(), {"cf-bucket-size", "8"}, options());
  EXPECT_NE(server.ask("BF.DEBUG high").find("ratio:0.25"), std::string::npos);
  EXPECT_NE(server.ask("BF.DEBUG made").find("ratio:0.3"), std::string::npos);
  EXPECT_EQ(server.ask("BF.INFO wide expansion"), "*1 :70000");
  EXPECT_EQ(server.ask("BF.INFO made expansion"), "*1 :40000");
  EXPECT_EQ(server.ask("BF.INFO still expansion"), "*1 $-1");
  for (const char* key : {"high", "wide", "made", "still"}) {
    EXPECT_EQ(server.call({"BF.MEXISTS", key, "a", "b"}).shown(), "*2 :1 :1") << key;
  }
  EXPECT_EQ(server.ask("CF.MEXISTS cf a b"), "*2 :1 :1");
  // Clients are held to what servers of now take.
  EXPECT_EQ(server.ask("BF.RESERVE new 0.01 10 EXPANSION 70000"),
            "-ERR expansion must be in the range [0, 32768]");
}

// A RedisBloom of 2.2 to 2.6 does so after BF.RESERVE with EXPANSION 0: its filter has the bits of
// the first link of a growing one, and is then full. Items are taken for present by chance, other
// ones there than here, also when it is full.
TEST_F(OldAppendOnly, HasWhatAFilterOfExpansion0TookUntilItWasFull) {
  const std::vector<std::pair<std::string, double>> filters{{"still", 0.01}, {"coarse", 0.5}};
  std::string text = command({"SELECT", "0"});
  std::map<std::string, std::vector<std::string>> members;
  for (const auto& [key, rate] : filters) {
    text += command({"BF.RESERVE", key, std::to_string(rate), "500", "EXPANSION", "0"});
    AnyFilter chain = redisbloom::reserve({.capacity = 500, .error_rate = rate});
    for (int i = 0; i < 3000; ++i) {
      const std::string item = key + std::to_string(i);
      const bool is_full = chain.inserted() == 500;
      if (!chain.may_contain(item) && is_full) continue;  // refused
      chain.insert(item);
      members[key].push_back(item);
      text += command({i % 2 == 0 ? "BF.ADD" : "BF.MADD", key, item});
    }
    ASSERT_GE(members[key].size(), 500U);
  }
  put(text);
  for (int i = 0; i < 2; ++i) {  // as it was, and rewritten
    ModuleServer server(folder(), {}, options());
    for (const auto& [key, rate] : filters) {
      EXPECT_EQ(server.ask("BF.INFO " + key + " expansion"), "*1 $-1");
      std::vector<std::string> words{"BLOOM.CHECK", key};
      words.insert(words.end(), members[key].begin(), members[key].end());
      const auto answers = server.call(words).items;
      EXPECT_EQ(std::ranges::count(answers, ":1", &Reply::line), members[key].size()) << key;
    }
    rewrite(server);
  }
}

TEST_F(OldAppendOnly, KnowsTheMarkOfAHashSeed) {
  const std::string none(16, '\0');
  const std::string seed = std::string(1, '\1') + std::string(15, '\7');
  std::string text = command({"SELECT", "0"});
  text += command({"bf._hashcheck", "plain", none});
  text += command({"BF.RESERVE", "plain", "0.01", "100"});
  text += command({"bf._hashcheck", "again", seed});  // and is then made of its items
  text += command({"BF.MADD", "again", "a", "b"});
  put(text);
  ModuleServer server(folder(), {}, options());
  EXPECT_EQ(server.ask("BF.ADD plain a"), ":1");
  EXPECT_EQ(server.ask("BF.MEXISTS again a b"), "*2 :1 :1");
  EXPECT_EQ(server.call({"BF._HASHCHECK", "k", none}).shown(), "+OK");
  const std::string refused = "-ERR made with a hash seed; rebuild it";
  EXPECT_EQ(server.call({"BF._HASHCHECK", "k", seed}).shown(), refused);
  EXPECT_EQ(server.ask("BF._HASHCHECK k short"), refused);
  const std::string header = server.ask_reply("BF.SCANDUMP plain 0").items[1].text;
  EXPECT_EQ(server.call({"BF.LOADCHUNK", "seeded", "1", header + seed}).shown(), refused);
  EXPECT_EQ(server.call({"BF.LOADCHUNK", "fine", "1", header + none}).shown(), "+OK");
  server.ask("CF.ADD cf a");
  const std::string cuckoo = server.ask_reply("CF.SCANDUMP cf 0").items[1].text;
  EXPECT_EQ(server.call({"CF.LOADCHUNK", "seeded", "1", cuckoo + seed}).shown(), refused);
  EXPECT_EQ(server.ask("EXISTS seeded"), ":0");
}

}  // namespace
}  // namespace bloomery
