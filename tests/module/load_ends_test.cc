// SPDX-License-Identifier: Apache-2.0
// Loads that end otherwise than by their COMMIT: what was added meanwhile is never absent.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bloomery/filter/filter_kinds.h"
#include "tests/module/load_adds.h"
#include "tests/module/server_client.h"
#include "tests/module/server_state.h"

namespace bloomery {
namespace {

using testing::bytes_of_new;
using testing::LoadAdds;
using testing::ModuleServer;

TEST_F(LoadAdds, WhoWasPushedAsideHearsOfIt) {
  ModuleServer server(folder());
  const std::string bytes = bytes_of_new(FilterKind::blocked);
  const std::string size = std::to_string(bytes.size());
  server.ask("BF.ADD key a");
  EXPECT_EQ(server.call({"BLOOM.LOAD", "key", "BEGIN", size, "ID", "first"}).shown(), "+OK");
  server.ask("BF.ADD key between");
  EXPECT_EQ(server.call({"BLOOM.LOAD", "key", "BEGIN", size, "EX", "9", "ID", "second"}).shown(),
            "+OK");
  EXPECT_EQ(server.ask("BLOOM.LOAD key BEGIN").substr(0, 24), "-ERR a load of this key ");
  EXPECT_NE(server.ask("PTTL {key}.loading"), ":-1");
  for (const std::vector<std::string>& id :
       {std::vector<std::string>{"ID", "first"}, std::vector<std::string>{}}) {
    std::vector<std::string> words{"BLOOM.LOAD", "key", "AT", "0", bytes};
    words.insert(words.end(), id.begin(), id.end());
    EXPECT_EQ(server.call(words).shown().substr(0, 20), "-ERR another load of");
    words = {"BLOOM.LOAD", "key", "COMMIT"};
    words.insert(words.end(), id.begin(), id.end());
    EXPECT_EQ(server.call(words).shown().substr(0, 20), "-ERR another load of");
  }
  EXPECT_EQ(server.call({"BLOOM.LOAD", "key", "AT", "0", bytes, "ID", "second"}).line, ":" + size);
  EXPECT_EQ(server.ask("BLOOM.LOAD key COMMIT ID second"), "+OK");
  EXPECT_EQ(server.ask("BLOOM.CHECK key scanned"), "*1 :1");
}

TEST_F(LoadAdds, LoadsOfTwoKeysWhoseBytesWouldStandInOnePlaceDoNotMeet) {
  ModuleServer server(folder());
  const std::string bytes = bytes_of_new(FilterKind::blocked);
  begin(server, "q", bytes);
  EXPECT_EQ(server.ask("BF.ADD q mid"), ":1");
  EXPECT_EQ(server.ask("BLOOM.LOAD {q} BEGIN " + std::to_string(bytes.size()) + " ID zz"),
            "-ERR a load of another key is under way where the bytes of this one would stand");
  bring(server, "q", bytes);
  EXPECT_EQ(commit(server, "q"), "+OK");
  EXPECT_EQ(server.ask("BLOOM.CHECK q mid scanned"), "*2 :1 :1");
}

// A dump of a load says itself how much memory it wants.
TEST_F(LoadAdds, RestoreOfALoadIsRefusedWhereItHasNoRoom) {
  ModuleServer server(folder());
  const AnyFilter large = make_filter(FilterKind::blocked, {.capacity = 160'000'000});
  const NativeHead head(large.contents(), {});
  std::string begins(reinterpret_cast<const char*>(head.bytes.data()), head.bytes.size());
  begins.resize(kMaxHeadBytes);
  EXPECT_EQ(server.ask("BLOOM.LOAD key BEGIN " + std::to_string(head.layout.file_bytes)), "+OK");
  const std::string usage = server.ask("MEMORY USAGE {key}.loading");
  EXPECT_LT(std::stoull(usage.substr(1)), 1'000U) << "nothing has come";
  EXPECT_EQ(server.call({"BLOOM.LOAD", "key", "AT", "0", begins}).line,
            ":" + std::to_string(begins.size()));
  const std::string dump = server.call({"DUMP", "{key}.loading"}).text;
  ASSERT_EQ(server.ask("BLOOM.LOAD key ABORT"), "+OK");
  ASSERT_TRUE(testing::comes_true(  // it is freed in the background
      [&] { return std::stoull(testing::info(server.client, "used_memory")) < 50'000'000; }));
  server.ask("CONFIG SET maxmemory 100mb");
  for (const char* const policy : {"noeviction", "allkeys-lru"}) {
    server.ask(std::string("CONFIG SET maxmemory-policy ") + policy);
    EXPECT_EQ(server.call({"RESTORE", "{key}.loading", "0", dump}).shown(), "-ERR Bad data format")
        << policy;
  }
  server.ask("CONFIG SET maxmemory 0");
  EXPECT_EQ(server.call({"RESTORE", "{key}.loading", "0", dump}).shown(), "+OK");
}

// Before a first filter is there, the load alone has what is added.
TEST_F(LoadAdds, WhatAFirstLoadTookIsNeverAbsentHoweverItEnds) {
  ModuleServer server(folder());
  const std::string bytes = bytes_of_new(FilterKind::blocked);
  for (const char* end : {"ABORT", "expires", "wrong piece", "COMMIT"}) {
    begin(server, "users", bytes);
    EXPECT_EQ(server.ask("BF.ADD users alice"), ":1") << end;
    EXPECT_EQ(server.ask("BF.MADD users alice bob"), "*2 :0 :1") << end;
    EXPECT_EQ(server.ask("BF.MEXISTS users alice bob carol"), "*3 :1 :1 :0") << end;
    EXPECT_EQ(server.ask("BLOOM.CHECK users alice").substr(0, 9), "-NOTREADY") << end;
    // A full server may have evicted what keeps the key, too.
    for (const bool is_evicted : {false, true}) {
      if (is_evicted) server.ask("DEL users");
      for (const char* make : {"BF.RESERVE users 0.01 100", "BLOOM.RESERVE users 0.01 100 NX"}) {
        EXPECT_EQ(server.ask(make).substr(0, 35), "-ERR a load of this key is under wa") << make;
      }
      EXPECT_EQ(server.call({"BLOOM.LOAD", "users", "EMPTY", bytes.substr(0, 4096)})
                    .shown()
                    .substr(0, 35),
                "-ERR a load of this key is under wa");
    }
    EXPECT_EQ(server.ask("BF.ADD users alice"), ":0") << end;
    EXPECT_EQ(server.ask("DEBUG RELOAD"), "+OK");
    EXPECT_EQ(server.ask("BF.ADD users dave"), ":1") << end;
    if (end == std::string("ABORT")) server.ask("BLOOM.LOAD users ABORT");
    if (end == std::string("expires")) {
      server.ask("PEXPIRE {users}.loading 1");
      usleep(5'000);
    }
    if (end == std::string("wrong piece")) {
      server.call({"BLOOM.LOAD", "users", "AT", "0", std::string(bytes.size(), 'x')});
    }
    if (end == std::string("COMMIT")) {
      bring(server, "users", bytes);
      EXPECT_EQ(commit(server, "users"), "+OK");
      EXPECT_EQ(server.ask("BLOOM.CHECK users alice bob dave carol"), "*4 :1 :1 :1 :0");
      break;
    }
    EXPECT_EQ(server.ask("BF.ADD users erin")[0], '-') << end;
    EXPECT_EQ(server.ask("BLOOM.ADD users erin")[0], '-') << end;
    EXPECT_EQ(server.ask("BLOOM.RESERVE users 0.01 100")[0], '-') << end;
    EXPECT_EQ(server.ask("BLOOM.CHECK users alice"), "$-1") << end;
    EXPECT_EQ(server.ask("BF.EXISTS users alice")[0], '-') << end;
    // A later load is begun over it.
  }
}

// Under a name of its own, or by a BEGIN whose reply came late.
TEST_F(LoadAdds, ALoadThatBeginsAgainHasWhatTheOneBeforeKept) {
  ModuleServer server(folder());
  const std::string bytes = bytes_of_new(FilterKind::blocked);
  for (const char* before : {"nightly", "other"}) {
    server.ask("DEL key");
    EXPECT_EQ(server.ask("BLOOM.LOAD key BEGIN ID " + std::string(before)), "+OK");
    EXPECT_EQ(server.ask("BF.ADD key late"), ":1");
    EXPECT_EQ(server.ask("BLOOM.LOAD key BEGIN " + std::to_string(bytes.size()) + " ID nightly"),
              "+OK");
    EXPECT_EQ(server.call({"BLOOM.LOAD", "key", "AT", "0", bytes, "ID", "nightly"}).line[0], ':');
    EXPECT_EQ(server.ask("BLOOM.LOAD key COMMIT ID nightly"), "+OK");
    EXPECT_EQ(server.ask("BLOOM.CHECK key late scanned other"), "*3 :1 :1 :0");
  }
}

TEST_F(LoadAdds, ALoadThatCannotHaveAllFailsAloud) {
  ModuleServer server(folder());
  const std::string bytes = bytes_of_new(FilterKind::blocked);
  server.ask("BF.ADD key a");
  // The load was elsewhere, where items may have been added that it did not see.
  begin(server, "key", bytes);
  bring(server, "key", bytes);
  const std::string moved = server.call({"DUMP", "{key}.loading"}).text;
  server.ask("BF.ADD key later");
  EXPECT_EQ(server.call({"RESTORE", "{key}.loading", "0", moved, "REPLACE"}).shown(), "+OK");
  EXPECT_EQ(server.ask("DEBUG RELOAD"), "+OK");
  EXPECT_EQ(commit(server, "key").substr(0, 20), "-ERR this load moved");
  EXPECT_EQ(server.ask("BLOOM.CHECK key later"), "*1 :1");
  server.ask("DEL key");
  EXPECT_EQ(commit(server, "key").substr(0, 20), "-ERR this load moved") << "it took them with it";
  server.ask("BLOOM.LOAD key ABORT");
  server.ask("BF.ADD key later");
  // The load ended by itself.
  begin(server, "key", bytes);
  bring(server, "key", bytes);
  server.ask("PEXPIRE {key}.loading 1");
  usleep(5'000);
  EXPECT_EQ(commit(server, "key").substr(0, 16), "-ERR no load of ");
  // A merge would be lost.
  server.ask("BF.ADD other b");
  begin(server, "key", bytes);
  EXPECT_EQ(server.ask("BLOOM.MERGE key other").substr(0, 20), "-ERR a load of this ");
  // Bits that come by chunks would be lost, too, into the filter or into one of their own.
  const std::string chunk = server.call({"BF.SCANDUMP", "other", "0"}).items[1].text;
  for (const char* key : {"key", "chunks"}) {
    if (key == std::string("chunks")) begin(server, key, bytes);
    EXPECT_EQ(server.call({"BF.LOADCHUNK", key, "1", chunk}).shown().substr(0, 20),
              "-ERR a load of this ");
    if (key != std::string("chunks")) continue;
    const std::string size = std::to_string(bytes.size());
    EXPECT_EQ(server.call({"BLOOM.LOAD", key, "PUT", key, size, "0", bytes}).shown().substr(0, 20),
              "-ERR a load of this ");
  }
  // A load of more than the server has room for.
  server.ask("CONFIG SET maxmemory 10mb");
  server.ask("CONFIG SET maxmemory-policy noeviction");
  server.ask("BF.RESERVE key2 0.01 100000");
  bring(server, "key", bytes);
  std::vector<std::string> words{"BF.MADD", "key"};
  for (int i = 0; i < 60'000; ++i) words.push_back("item " + std::to_string(i));
  server.call(words);
  server.ask("CONFIG SET maxmemory 0");
  EXPECT_EQ(commit(server, "key").substr(0, 21), "-ERR this load cannot");
  EXPECT_EQ(server.ask("BLOOM.CHECK key later"), "*1 :1");
}

// Leaves the server room for little more than it has; and adds more than that.
std::vector<std::string> add_until_full(ModuleServer& server) {
  const std::string info = server.call({"INFO", "memory"}).text;
  const std::string used = info.substr(info.find("used_memory:") + 12);
  server.ask("CONFIG SET maxmemory-policy noeviction");
  server.ask("CONFIG SET maxmemory " + std::to_string(std::stoull(used) + 500'000));
  std::vector<std::string> added;
  bool was_refused = false;
  for (int batch = 0; batch < 100; ++batch) {
    std::vector<std::string> words{"BF.MADD", "key"};
    for (int i = 0; i < 100; ++i) words.push_back(std::to_string(batch) + "/" + std::to_string(i));
    const auto reply = server.call(words);
    for (std::size_t i = 0; i < reply.items.size(); ++i) {
      if (reply.items[i].shown() == ":1") added.push_back(words[i + 2]);
      was_refused = was_refused || reply.items[i].shown().starts_with("-ERR");
    }
  }
  server.ask("CONFIG SET maxmemory 0");
  added.push_back(was_refused ? "refused" : "taken");
  return added;
}

TEST_F(LoadAdds, BeforeTheFirstFilterWhatCannotBeKeptIsRefused) {
  ModuleServer server(folder());
  const std::string bytes = bytes_of_new(FilterKind::blocked);
  server.ask("BLOOM.LOAD key BEGIN ID a");
  EXPECT_EQ(server.ask("BF.ADD key first"), ":1");
  std::vector<std::string> added = add_until_full(server);
  EXPECT_EQ(added.back(), "refused");
  EXPECT_GT(added.size(), 1'000U);
  EXPECT_EQ(server.ask("BF.ADD key later"), ":1");
  added.back() = "later";
  added.emplace_back("first");
  // A second load continues with all items that were answered.
  server.call({"BLOOM.LOAD", "key", "BEGIN", std::to_string(bytes.size()), "ID", "b"});
  server.call({"BLOOM.LOAD", "key", "AT", "0", bytes, "ID", "b"});
  EXPECT_EQ(server.ask("BF.EXISTS key first"), ":1");
  EXPECT_EQ(server.ask("BLOOM.LOAD key COMMIT ID b"), "+OK");
  std::vector<std::string> words{"BLOOM.CHECK", "key"};
  words.insert(words.end(), added.begin(), added.end());
  for (const auto& found : server.call(words).items) ASSERT_EQ(found.shown(), ":1");
}

TEST_F(LoadAdds, ALoadThatGoesOnForAnotherKnowsThatItLostItems) {
  ModuleServer server(folder());
  const std::string bytes = bytes_of_new(FilterKind::blocked);
  server.ask("BF.RESERVE key 0.01 100000");
  server.ask("BLOOM.LOAD key BEGIN ID a");
  EXPECT_EQ(add_until_full(server).back(), "taken") << "the old filter has them";
  server.call({"BLOOM.LOAD", "key", "BEGIN", std::to_string(bytes.size()), "ID", "b"});
  server.call({"BLOOM.LOAD", "key", "AT", "0", bytes, "ID", "b"});
  EXPECT_EQ(server.ask("BLOOM.LOAD key COMMIT ID b").substr(0, 21), "-ERR this load cannot");
  EXPECT_EQ(server.ask("BLOOM.CHECK key 0/0"), "*1 :1");
  // Refused once, it is gone: the next begins anew.
  server.call({"BLOOM.LOAD", "key", "BEGIN", std::to_string(bytes.size()), "ID", "c"});
  server.call({"BLOOM.LOAD", "key", "AT", "0", bytes, "ID", "c"});
  EXPECT_EQ(server.ask("BLOOM.LOAD key COMMIT ID c"), "+OK");
}

// The append-only file has but the RESTORE; and a load that stayed is not taken for one that moved.
TEST_F(LoadAdds, ALoadKnowsWhetherItMovedAfterARestart) {
  ModuleServer server(folder(), {}, {"--appendonly", "yes"});
  const std::string bytes = bytes_of_new(FilterKind::blocked);
  for (const char* key : {"moves", "stays"}) {
    server.call({"BF.ADD", key, "before"});
    begin(server, key, bytes);
    bring(server, key, bytes);
    if (key == std::string("stays")) continue;
    const std::string moved = server.call({"DUMP", "{moves}.loading"}).text;
    server.ask("BF.ADD moves later");
    EXPECT_EQ(server.call({"RESTORE", "{moves}.loading", "0", moved, "REPLACE"}).shown(), "+OK");
  }
  for (const char* restart : {"DEBUG LOADAOF", "DEBUG RELOAD", "SAVE", "DEBUG LOADAOF"}) {
    EXPECT_EQ(server.ask(restart), "+OK");
    EXPECT_EQ(commit(server, "moves").substr(0, 20), "-ERR this load moved") << restart;
  }
  EXPECT_EQ(server.ask("BLOOM.CHECK moves later"), "*1 :1");
  EXPECT_EQ(commit(server, "stays"), "+OK");
}

}  // namespace
}  // namespace bloomery
