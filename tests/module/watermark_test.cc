// SPDX-License-Identifier: Apache-2.0
// How far a database was read into a filter, and what is absent because of it.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/module/server_client.h"

namespace bloomery {
namespace {

using testing::ModuleServer;
using testing::ModuleTest;
using testing::Reply;

const std::string kSource = "000000000000000100000000000000aa";
const std::string kOther = "000000000000000100000000000000ab";

class Watermarks : public ModuleTest {
 protected:
  void SetUp() override {
    ModuleTest::SetUp();
    if (IsSkipped()) return;
    server_ = std::make_unique<ModuleServer>(
        folder(), std::vector<std::string>{},
        std::vector<std::string>{"--appendonly", "yes", "--aof-use-rdb-preamble", "no"});
    server_->ask("BLOOM.RESERVE f 0.001 1000");
  }
  std::string ask(const std::string& command) { return server_->ask(command); }
  std::string info(const std::string& name, const std::string& key = "f") {
    const Reply reply = server_->ask_reply("BLOOM.INFO " + key);
    for (std::size_t i = 0; i + 1 < reply.items.size(); i += 2) {
      if (reply.items[i].line == "+" + name) {
        const Reply& value = reply.items[i + 1];
        return value.line[0] == '$' ? value.text : value.line.substr(1);
      }
    }
    return "none";
  }
  std::string advance(const std::string& from, const std::string& to,
                      const std::string& items = "") {
    return ask("BLOOM.ADVANCE f EPOCH " + info("Identity") + " FROM " + from + " TO " + to + items);
  }

  std::unique_ptr<ModuleServer> server_{};
};

TEST_F(Watermarks, NothingIsAbsentBehindAFenceThatTheyDoNotReach) {
  EXPECT_EQ(info("Identity").size(), 32U);
  const std::string check = "BLOOM.CHECK f FENCE " + kSource;
  EXPECT_EQ(ask(check + " 0 out"), "*1 $-1") << "nobody has said anything";
  EXPECT_EQ(advance("-", kSource + ":7", " ITEMS a b"), ":1");
  EXPECT_EQ(ask(check + " 7 a out b"), "*3 :1 :0 :1");
  EXPECT_EQ(ask(check + " 8 a out b"), "*3 :1 $-1 :1");
  EXPECT_EQ(ask("BLOOM.CHECK f FENCE " + kOther + " 7 a out"), "*2 :1 $-1");
  EXPECT_EQ(ask("BLOOM.CHECK f a out"), "*2 :1 :0") << "without a fence as ever";
  EXPECT_EQ(ask("BLOOM.CHECK missing FENCE " + kSource + " 7 a"), "$-1");
}

TEST_F(Watermarks, MoveOnlyFromWhereTheyAre) {
  ASSERT_EQ(advance("-", kSource + ":7"), ":1");
  EXPECT_EQ(advance("-", kSource + ":9", " ITEMS late"), ":0");
  EXPECT_EQ(advance(kSource + ":6", kSource + ":9"), ":0");
  EXPECT_EQ(advance(kOther + ":7", kSource + ":9"), ":0");
  EXPECT_EQ(ask("BLOOM.ADVANCE f EPOCH " + kOther + " FROM " + kSource + ":7 TO " + kSource + ":9"),
            ":0");
  EXPECT_EQ(info("Watermark"), "7");
  EXPECT_EQ(ask("BLOOM.CHECK f late"), "*1 :1") << "its item is in all the same";
  EXPECT_EQ(info("Beat"), "1");
  const std::string step = "BLOOM.ADVANCE f EPOCH " + info("Identity") + " BEAT 1 FROM " + kSource +
                           ":7 TO " + kSource + ":7 ITEMS x";
  EXPECT_EQ(ask(step), ":1");
  EXPECT_EQ(ask(step), ":0") << "it is the second beat by now";
}

TEST_F(Watermarks, AreToldAlone) {
  EXPECT_EQ(ask("BLOOM.INFO f WATERMARK"), "*3 $32 " + info("Identity") + " $-1 :0");
  ASSERT_EQ(advance("-", kSource + ":18446744073709551615"), ":1");
  EXPECT_EQ(ask("BLOOM.INFO f watermark"),
            "*3 $32 " + info("Identity") + " $32 " + kSource + " :-1");
  EXPECT_EQ(ask("BLOOM.INFO missing WATERMARK"), "-ERR not found");
  EXPECT_EQ(ask("BLOOM.INFO f EPOCH").substr(0, 4), "-ERR");
}

TEST_F(Watermarks, BeatsMoveByAsMuchAsIsSaid) {
  const auto step = [&](const std::string& beat) {
    return ask("BLOOM.ADVANCE f EPOCH " + info("Identity") + " BEAT " + beat + " FROM - TO -");
  };
  EXPECT_EQ(step("0 BY 4294967296"), ":1");
  EXPECT_EQ(info("Beat"), "4294967296");
  EXPECT_EQ(step("4294967296 BY 18446744069414584319"), ":1");
  EXPECT_EQ(info("Beat"), "-1") << "2^64 - 1, as the protocol has no larger numbers";
  ask("DEBUG LOADAOF");
  EXPECT_EQ(info("Beat"), "-1");
  EXPECT_EQ(step("18446744073709551615 BY 2"), ":1");
  EXPECT_EQ(info("Beat"), "1") << "it goes on from the beginning";
}

TEST_F(Watermarks, GoWithTheFilterWhereverItGoes) {
  ASSERT_EQ(advance("-", kSource + ":7", " ITEMS a"), ":1");
  const auto all = [&](const std::string& key) {
    return info("Identity", key) + info("Watermark source", key) + info("Watermark", key) +
           info("Beat", key);
  };
  const std::string before = all("f");
  ask("DEBUG RELOAD");
  EXPECT_EQ(all("f"), before);
  ask("DEBUG LOADAOF");
  EXPECT_EQ(all("f"), before) << "by the commands of the append-only file";
  ask("BGREWRITEAOF");
  const std::string dump = server_->call({"DUMP", "f"}).text;
  EXPECT_EQ(server_->call({"RESTORE", "g", "0", dump}).line, "+OK");
  EXPECT_EQ(all("g"), before);
  EXPECT_EQ(ask("BLOOM.CHECK f FENCE " + kSource + " 7 a out"), "*2 :1 :0");
}

// A watermark above what is in would be a false "absent" for every key between.
TEST_F(Watermarks, StayWhereAnItemDidNotGoIn) {
  ask("BLOOM.RESERVE small 0.01 2 EXPANSION 0");
  const std::string step =
      "BLOOM.ADVANCE small EPOCH " + info("Identity", "small") + " FROM - TO " + kSource + ":7";
  EXPECT_EQ(ask(step + " ITEMS a b c d e f").substr(0, 4), "-ERR");
  EXPECT_EQ(info("Watermark source", "small"), "") << "none";
  EXPECT_EQ(ask("BLOOM.CHECK small FENCE " + kSource + " 7 zz"), "*1 $-1");
}

TEST_F(Watermarks, WhatIsNoneIsRefused) {
  for (const std::string& words :
       std::vector<std::string>{"EPOCH x FROM - TO 1:1", "EPOCH " + kSource + " FROM - TO nothing",
                                "FROM - TO " + kSource + ":1 EPOCH " + kSource,
                                "EPOCH " + kSource + " FROM - TO " + kSource + ":-1",
                                "EPOCH " + kSource + " FROM " + kSource + ":1 TO -",
                                "EPOCH " + kSource + " FROM - TO " + kSource + ":1 ITEMS",
                                "EPOCH " + kSource + " BEAT -1 FROM - TO " + kSource + ":1",
                                "EPOCH " + kSource + " BEAT 0 BY 0 FROM - TO " + kSource + ":1",
                                "EPOCH " + kSource + " BY 1 FROM - TO " + kSource + ":1"}) {
    EXPECT_EQ(ask("BLOOM.ADVANCE f " + words).substr(0, 4), "-ERR") << words;
  }
  EXPECT_EQ(ask("BLOOM.CHECK f FENCE x 1 a").substr(0, 4), "-ERR");
  EXPECT_EQ(ask("BLOOM.CHECK f FENCE " + kSource + " one a").substr(0, 4), "-ERR");
  EXPECT_EQ(ask("BLOOM.CHECK f FENCE a").substr(0, 4), "-ERR");
  const std::string step = " EPOCH " + kSource + " FROM - TO " + kSource + ":1";
  EXPECT_EQ(ask("BLOOM.ADVANCE missing" + step).substr(0, 4), "-ERR");
  ask("BF.ADD chain a");
  ask("BLOOM.RESERVE window 0.01 100 WINDOW 60");
  ask("BLOOM.RESERVE counting 0.01 100 COUNTING");
  for (const char* const key : {"chain", "window", "counting"}) {
    EXPECT_EQ(ask(std::string("BLOOM.ADVANCE ") + key + step).substr(0, 4), "-ERR") << key;
  }
}

}  // namespace
}  // namespace bloomery
