// SPDX-License-Identifier: Apache-2.0
// Filters that come by BF.LOADCHUNK and CF.LOADCHUNK, of which pieces are still missing: whichever
// way they go, they say "absent" of nothing until they are whole.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "bloomery/hash/murmur2.h"
#include "tests/format/redisbloom/redisbloom_bytes.h"
#include "tests/module/payload.h"
#include "tests/module/server_client.h"
#include "tests/module/server_state.h"

namespace bloomery {
namespace {

using testing::free_port;
using testing::ModuleServer;
using testing::ModuleTest;
using testing::Reply;

constexpr const char* kNotReady = "-NOTREADY the filter is still being loaded";

struct Piece {
  std::string iterator;
  std::string bytes;
};

// A filter, and how it goes from server to server.
struct Family {
  std::string load;
  std::string exists;
  std::vector<Piece> pieces;  // header, then at least three
};

class HalfLoaded : public ModuleTest {
 protected:
  static constexpr int kItems = 700;

  static Family family(ModuleServer& server, const std::string& name) {
    std::vector<std::string> words{name + ".INSERT", "whole", "ITEMS"};
    if (name == "CF") server.ask("CF.RESERVE whole 64 EXPANSION 2");
    for (int i = 0; i < kItems; ++i) words.push_back(std::to_string(i));
    server.call(words);
    Family of{name + ".LOADCHUNK", name + ".EXISTS", {}};
    for (std::string at = "0";;) {
      const Reply piece = server.call({name + ".SCANDUMP", "whole", at});
      at = piece.items[0].line.substr(1);
      if (at == "0") break;
      of.pieces.push_back({at, piece.items[1].text});
    }
    EXPECT_GE(of.pieces.size(), 4U);
    server.ask("DEL whole");
    return of;
  }
  static void load(ModuleServer& server, const Family& of, const std::string& key,
                   std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) {
      EXPECT_EQ(server.call({of.load, key, of.pieces[i].iterator, of.pieces[i].bytes}).shown(),
                "+OK")
          << i;
    }
  }
  // Expects "absent" of no item: each is there, or that is not known.
  static void expect_unknown(ModuleServer& server, const Family& of, const std::string& key) {
    int unknown = 0;
    for (int i = 0; i < kItems; ++i) {
      const std::string reply = server.call({of.exists, key, std::to_string(i)}).shown();
      EXPECT_TRUE(reply == ":1" || reply == kNotReady) << key << ": " << reply;
      unknown += reply == kNotReady ? 1 : 0;
    }
    EXPECT_GT(unknown, 0) << key;
    if (of.load[0] == 'B') {
      EXPECT_EQ(server.ask("BLOOM.CHECK " + key + " a"), kNotReady);
    }
    EXPECT_EQ(server.ask(of.load.substr(0, 2) + ".SCANDUMP " + key + " 0"), kNotReady);
  }
  static void expect_all(ModuleServer& server, const Family& of, const std::string& key) {
    for (int i = 0; i < kItems; ++i) {
      EXPECT_EQ(server.call({of.exists, key, std::to_string(i)}).shown(), ":1") << key << i;
    }
  }
  static void rewrite(ModuleServer& server) {
    server.ask("BGREWRITEAOF");
    EXPECT_TRUE(testing::comes_true([&] {
      return testing::info(server.client, "aof_rewrite_in_progress") == "0" &&
             testing::info(server.client, "aof_rewrite_scheduled") == "0";
    }));
  }
};

TEST_F(HalfLoaded, IsUnknownWhereverItGoesAndGoesOnThere) {
  for (const char* const preamble : {"yes", "no"}) {
    for (const char* const name : {"BF", "CF"}) {
      const std::vector<std::string> options{"--appendonly", "yes", "--aof-use-rdb-preamble",
                                             preamble};
      const std::string place = folder(std::string(preamble) + name);
      Family of;
      std::size_t half = 0;
      {
        ModuleServer server(place, {}, options);
        of = family(server, name);
        half = of.pieces.size() / 2;
        load(server, of, "key", 0, half);
        expect_unknown(server, of, "key");
        server.ask("PEXPIRE key 100000000");
        EXPECT_EQ(server.ask("COPY key copied"), ":1");
        EXPECT_EQ(
            server.call({"RESTORE", "restored", "0", server.call({"DUMP", "key"}).text}).shown(),
            "+OK");
        EXPECT_EQ(server.ask("RENAME copied renamed"), "+OK");
        EXPECT_EQ(server.ask("MOVE restored 3"), ":1");
        EXPECT_EQ(server.ask("DEBUG RELOAD"), "+OK");
        EXPECT_EQ(server.ask("SWAPDB 3 4"), "+OK");
        EXPECT_EQ(server.ask("COPY renamed moved DB 3"), ":1");
        EXPECT_EQ(server.ask("SWAPDB 3 4"), "+OK");
        for (const char* const key : {"key", "renamed"}) expect_unknown(server, of, key);
        server.ask("SELECT 3");
        expect_unknown(server, of, "restored");
        server.ask("SELECT 4");
        expect_unknown(server, of, "moved");
        server.ask("SELECT 0");
        EXPECT_EQ(server.ask("DEBUG DIGEST-VALUE key"), server.ask("DEBUG DIGEST-VALUE renamed"));
        load(server, of, "key", half, half + 1);
        EXPECT_NE(server.ask("DEBUG DIGEST-VALUE key"), server.ask("DEBUG DIGEST-VALUE renamed"));
        rewrite(server);
        EXPECT_EQ(server.ask("DEBUG LOADAOF"), "+OK");
        expect_unknown(server, of, "key");
      }
      ModuleServer server(place, {}, options);
      for (const char* const key : {"key", "renamed"}) expect_unknown(server, of, key);
      load(server, of, "key", half + 1, of.pieces.size());
      load(server, of, "renamed", half, of.pieces.size());
      for (const char* const key : {"key", "renamed"}) expect_all(server, of, key);
      EXPECT_EQ(server.ask("TYPE key"), name == std::string("BF") ? "+MBbloom--" : "+MBbloomCF");
      EXPECT_NE(server.ask("PTTL key"), ":-1");
      EXPECT_EQ(server.ask("DEBUG DIGEST-VALUE key"), server.ask("DEBUG DIGEST-VALUE renamed"));
    }
  }
}

TEST_F(HalfLoaded, IsUnknownAfterARestartFromItsDump) {
  Family of;
  {
    ModuleServer server(folder());
    of = family(server, "CF");
    load(server, of, "key", 0, 2);
    EXPECT_EQ(server.ask("SAVE"), "+OK");
  }
  ModuleServer server(folder());
  expect_unknown(server, of, "key");
  load(server, of, "key", 2, of.pieces.size());
  expect_all(server, of, "key");
}

// Positions of its pieces count buckets.
TEST_F(HalfLoaded, ADumpOfRedisBloom2GoesOnWhereverItWent) {
  constexpr std::uint64_t kBuckets = 1024;
  std::string slots(2 * kBuckets, '\0');
  for (int i = 0; i < 200; ++i) {
    const std::uint32_t hash = murmur2_32(std::to_string(i), 0);
    std::size_t at = hash % kBuckets * 2;
    while (slots[at] != '\0') ++at;  // few enough for its own bucket
    slots[at] = static_cast<char>(hash >> 24 == 0 ? 7 : hash >> 24);
  }
  std::string header;
  for (const std::uint64_t each :
       {std::uint64_t{200}, kBuckets, std::uint64_t{0}, std::uint64_t{1}})
    testing::append(header, each);
  const auto load_quarter = [&](ModuleServer& server, const char* key, std::size_t i) {
    return server
        .call({"CF.LOADCHUNK", key, std::to_string(1 + (i + 1) * kBuckets / 4),
               slots.substr(i * kBuckets / 2, kBuckets / 2)})
        .shown();
  };
  const std::string port = free_port();
  ModuleServer server(folder("primary"), {},
                      {"--port", port, "--repl-diskless-sync-delay", "0", "--appendonly", "yes",
                       "--aof-use-rdb-preamble", "no"});
  ASSERT_EQ(server.call({"CF.LOADCHUNK", "key", "1", header}).shown(), "+OK");
  EXPECT_EQ(load_quarter(server, "key", 0), "+OK");
  EXPECT_EQ(server.ask("COPY key copied"), ":1");
  EXPECT_EQ(server.call({"RESTORE", "restored", "0", server.call({"DUMP", "key"}).text}).shown(),
            "+OK");
  ModuleServer replica(folder("replica"), {}, {"--replicaof", "127.0.0.1 " + port});
  ASSERT_TRUE(testing::has_synced(replica));
  EXPECT_EQ(server.ask("DEBUG RELOAD"), "+OK");
  rewrite(server);
  EXPECT_EQ(server.ask("DEBUG LOADAOF"), "+OK");
  for (const char* const key : {"key", "copied", "restored"}) {
    for (const std::size_t i : {2U, 3U, 1U}) EXPECT_EQ(load_quarter(server, key, i), "+OK") << key;
  }
  ASSERT_EQ(server.ask("WAIT 1 10000"), ":1");
  for (ModuleServer* const each : {&server, &replica}) {
    for (const char* const key : {"key", "copied", "restored"}) {
      EXPECT_EQ(each->ask("TYPE " + std::string(key)), "+MBbloomCF");
      for (int i = 0; i < 200; ++i) {
        ASSERT_EQ(each->call({"CF.EXISTS", key, std::to_string(i)}).shown(), ":1") << key << i;
      }
    }
  }
}

TEST_F(HalfLoaded, WhatADumpSaysOfItsPositionsOutlivesARestart) {
  ModuleServer server(folder());
  const Family of = family(server, "CF");
  // 2.2 wrote eight more bytes, and positions that its first piece tells.
  const std::string header = of.pieces[0].bytes + std::string(8, '\0');
  ASSERT_EQ(server.call({of.load, "key", "1", header}).shown(), "+OK");
  EXPECT_EQ(server.ask("DEBUG RELOAD"), "+OK");
  const std::string& first = of.pieces[1].bytes;
  EXPECT_EQ(server.call({of.load, "key", std::to_string(1 + first.size() / 2), first}).shown(),
            "+OK");
}

// Each range takes memory that nobody counts.
TEST_F(HalfLoaded, TakesNoPiecesWithGapsWithoutEnd) {
  ModuleServer server(folder());
  const Family of = family(server, "BF");
  server.ask("BF.RESERVE large 0.01 400000 NONSCALING");
  const std::string header = server.ask_reply("BF.SCANDUMP large 0").items[1].text;
  ASSERT_EQ(server.call({of.load, "key", "1", header}).shown(), "+OK");
  std::string last;
  for (int i = 0; i <= 65'536; ++i) {
    last = server.call({of.load, "key", std::to_string(2 + 2 * i), "x"}).shown();
    if (last != "+OK") break;
  }
  EXPECT_EQ(last.substr(0, 42), "-ERR pieces are missing in too many places");
}

TEST_F(HalfLoaded, IsUnknownOnReplicasOfAnyAge) {
  const std::string port = free_port();
  ModuleServer primary(folder("primary"), {}, {"--port", port, "--repl-diskless-sync-delay", "0"});
  ModuleServer early(folder("early"), {}, {"--replicaof", "127.0.0.1 " + port});
  ASSERT_TRUE(testing::has_synced(early));
  const std::vector<Family> both{family(primary, "BF"), family(primary, "CF")};
  for (const Family& of : both) load(primary, of, of.load, 0, 2);
  primary.ask("BF.MADD BF.LOADCHUNK meanwhile 12345");
  ModuleServer late(folder("late"), {}, {"--replicaof", "127.0.0.1 " + port});
  ASSERT_TRUE(testing::has_synced(late));
  ASSERT_EQ(primary.ask("WAIT 2 10000"), ":2");
  for (ModuleServer* const each : {&early, &late}) {
    for (const Family& of : both) expect_unknown(*each, of, of.load);
    EXPECT_EQ(each->ask("BF.EXISTS BF.LOADCHUNK meanwhile"), ":1");
  }
  for (const Family& of : both) load(primary, of, of.load, 2, of.pieces.size());
  ASSERT_EQ(primary.ask("WAIT 2 10000"), ":2");
  for (ModuleServer* const each : {&early, &late}) {
    for (const Family& of : both) {
      expect_all(*each, of, of.load);
      EXPECT_EQ(each->call({"DUMP", of.load}).text, primary.call({"DUMP", of.load}).text);
    }
    EXPECT_EQ(each->ask("BF.MEXISTS BF.LOADCHUNK meanwhile 12345"), "*2 :1 :1");
  }
}

// Bytes that come later would take the place of an item's slot.
TEST_F(HalfLoaded, ACuckooFilterTakesNoItemsBeforeItIsWhole) {
  ModuleServer server(folder());
  const Family of = family(server, "CF");
  load(server, of, "key", 0, 2);
  for (const char* const command :
       {"CF.ADD key a", "CF.ADDNX key a", "CF.INSERT key ITEMS a", "CF.INSERTNX key ITEMS a",
        "CF.DEL key 1", "CF.COUNT key a", "CF.COMPACT key"}) {
    EXPECT_EQ(server.ask(command), kNotReady) << command;
  }
  EXPECT_EQ(server.ask("CF.RESERVE key 100"), "-ERR item exists");
  EXPECT_EQ(server.ask("CF.INFO key").substr(0, 3), "*16");
}

// A client that did not get the reply sends a chunk again.
TEST_F(HalfLoaded, APieceThatComesAgainTakesNothingAway) {
  ModuleServer server(folder());
  const Family bloom = family(server, "BF");
  load(server, bloom, "bf", 0, 1);
  server.ask("BF.MADD bf meanwhile and");
  load(server, bloom, "bf", 1, bloom.pieces.size());
  std::vector<std::string> words{"BF.MEXISTS", "bf", "meanwhile", "and"};
  for (int i = 0; i < 200; ++i) {
    words.push_back("late" + std::to_string(i));
    server.call({"BF.ADD", "bf", words.back()});
  }
  load(server, bloom, "bf", 1, bloom.pieces.size());
  EXPECT_EQ(std::ranges::count(server.call(words).items, ":0", &Reply::line), 0);

  const Family cuckoo = family(server, "CF");
  load(server, cuckoo, "cf", 0, cuckoo.pieces.size());
  load(server, cuckoo, "cf", 1, cuckoo.pieces.size());  // the same bytes
  int refused = 0;
  for (int i = 0; i < 100; ++i) server.ask("CF.ADD cf late" + std::to_string(i));
  for (std::size_t i = 1; i < cuckoo.pieces.size(); ++i) {
    const Piece& piece = cuckoo.pieces[i];
    const std::string reply = server.call({cuckoo.load, "cf", piece.iterator, piece.bytes}).line;
    refused += reply == "-Couldn't load chunk!" ? 1 : 0;
  }
  EXPECT_GT(refused, 0);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(server.ask("CF.EXISTS cf late" + std::to_string(i)), ":1") << i;
  }
}

TEST_F(HalfLoaded, GrowsMeanwhileAndIsStillUnknownAfterARewrite) {
  const std::vector<std::string> options{"--appendonly", "yes", "--aof-use-rdb-preamble", "no"};
  ModuleServer server(folder(), {}, options);
  const Family of = family(server, "BF");
  load(server, of, "key", 0, of.pieces.size() - 1);
  std::vector<std::string> words{"BF.MADD", "key"};
  for (int i = 5000; i < 9000; ++i) words.push_back(std::to_string(i));
  server.call(words);
  const std::string before = server.ask("DEBUG DIGEST-VALUE key");
  rewrite(server);
  EXPECT_EQ(server.ask("DEBUG LOADAOF"), "+OK");
  EXPECT_EQ(server.ask("DEBUG DIGEST-VALUE key"), before);
  EXPECT_EQ(server.ask("DEBUG RELOAD"), "+OK");
  EXPECT_EQ(server.ask("DEBUG DIGEST-VALUE key"), before);
  expect_unknown(server, of, "key");
  words[0] = "BF.MEXISTS";
  load(server, of, "key", of.pieces.size() - 1, of.pieces.size());
  for (const Reply& each : server.call(words).items) EXPECT_EQ(each.line, ":1");
  expect_all(server, of, "key");
}

TEST_F(HalfLoaded, RestoreTakesNothingThatIsNoHalf) {
  ModuleServer server(folder());
  std::mt19937 random(11);
  for (const char* const name : {"BF", "CF"}) {
    const Family of = family(server, name);
    load(server, of, name, 0, 2);
    const std::string good = server.call({"DUMP", name}).text;
    int refused = 0;
    for (int i = 0; i < 1500; ++i) {
      std::string bad = good;
      const std::size_t at = static_cast<std::size_t>(i) % (good.size() - 10);
      bad[at] = static_cast<char>(bad[at] ^ (1 << random() % 8));
      if (i % 7 == 0) bad.erase(at, 1 + random() % (bad.size() - 10 - at));
      const std::string reply =
          server.call({"RESTORE", "bad", "0", testing::with_checksum(bad), "REPLACE"}).shown();
      refused += reply == "+OK" ? 0 : 1;
      if (reply != "+OK") continue;
      const std::string answer = server.ask(of.exists + " bad x");
      EXPECT_TRUE(answer == ":1" || answer == kNotReady) << answer;
      EXPECT_FALSE(server.call({"DUMP", "bad"}).text.empty());
    }
    EXPECT_GT(refused, 100) << name;
  }
}

// The append-only file of a server that took what this one does not.
class LostFilter : public ModuleTest {
 protected:
  using Command = std::vector<std::string>;
  void write_aof(const std::vector<Command>& commands) {
    std::ofstream out(folder() + "/appendonly.aof", std::ios::binary);
    for (const Command& words : commands) {
      out << "*" << words.size() << "\r\n";
      for (const std::string& each : words) out << "$" << each.size() << "\r\n" << each << "\r\n";
    }
  }
};

TEST_F(LostFilter, AnswersErrorsAfterAPieceThatTheServerCouldNotFollow) {
  const std::vector<std::string> options{"--appendonly", "yes", "--aof-use-rdb-preamble", "no"};
  write_aof({{"SELECT", "0"},
             {"SET", "other", "value"},
             {"BF.LOADCHUNK", "header", "1", "this is no header"},
             {"BF.LOADCHUNK", "header", "100", "a piece"},
             {"BF.ADD", "header", "later"},
             {"CF.LOADCHUNK", "cuckoo", "1", "this is no header"},
             {"CF.ADD", "cuckoo", "later"},
             {"BF.LOADCHUNK", "piece", "99999", "a piece"},
             {"BF.MADD", "piece", "later", "later still"},
             {"BF.RESERVE", "huge", "0.01", "900000000000"},
             {"BF.ADD", "huge", "later"},
             {"BLOOM.LOAD", "own", "COMMIT"},
             {"BF.ADD", "own", "later"},
             {"BF.RESERVE", "full", "0.01", "2", "NONSCALING"},
             {"BF.MADD", "full", "a", "b", "c"}});
  for (int restart = 0; restart < 2; ++restart) {
    ModuleServer server(folder(), {}, options);
    EXPECT_EQ(server.ask("GET other"), "$5 value");
    for (const char* const key : {"header", "piece", "huge", "own"}) {
      const std::string of = key;
      EXPECT_EQ(server.ask("BLOOM.CHECK " + of + " a"), "$-1") << key;
      for (const char* const command : {"BF.EXISTS", "BF.MEXISTS", "BF.ADD", "BLOOM.ADD"}) {
        EXPECT_EQ(server.ask(command + (" " + of) + " a").substr(0, 28),
                  "-ERR this filter is lost: ER")
            << key;
      }
      EXPECT_EQ(server.ask("BF.RESERVE " + of + " 0.01 100")[0], '-');
    }
    EXPECT_EQ(server.ask("CF.EXISTS cuckoo a").substr(0, 24), "-ERR this filter is lost");
    EXPECT_EQ(server.ask("CF.DEL cuckoo a").substr(0, 24), "-ERR this filter is lost");
    EXPECT_EQ(server.ask("BF.MEXISTS full a b c"), "*3 :1 :1 :1") << "full, and was taken there";
    EXPECT_EQ(server.ask("BF.ADD full d"), "-ERR non scaling filter is full");
    EXPECT_EQ(server.ask("BLOOM.CHECK full a x"), "*2 :1 :0");
    if (restart == 0) {
      EXPECT_EQ(server.ask("COPY header copied"), ":1");
      EXPECT_EQ(server.ask("BLOOM.CHECK copied a"), "$-1");
      server.ask("BGREWRITEAOF");
      EXPECT_TRUE(testing::comes_true(
          [&] { return testing::info(server.client, "aof_rewrite_in_progress") == "0"; }));
      EXPECT_EQ(server.ask("DEBUG RELOAD"), "+OK");
    } else {
      EXPECT_EQ(server.ask("BLOOM.CHECK copied a"), "$-1");
      EXPECT_EQ(server.ask("DEL header"), ":1");
      EXPECT_EQ(server.ask("BF.ADD header a"), ":1");
    }
  }
}

TEST_F(LostFilter, IsNothingThatAClientCanSay) {
  ModuleServer server(folder());
  for (const char* const command : {"BLOOM.LOAD key LOST why", "BLOOM.LOAD key HALF BF x 1",
                                    "BLOOM.LOAD key FILL 1 x", "BLOOM.LOAD key CAME 0 1"}) {
    EXPECT_EQ(server.ask(command),
              "-ERR this step of BLOOM.LOAD is for append-only files and primaries alone");
  }
  EXPECT_EQ(server.ask("DBSIZE"), ":0");
}

}  // namespace
}  // namespace bloomery
