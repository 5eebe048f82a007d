// Items that are added to a key while a filter for it is on its way: they are in that too.
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "bloomery/filter/filter_kinds.h"
#include "bloomery/filter/owned_static_filter.h"
#include "bloomery/filter/parameters.h"
#include "bloomery/format/native/write_native.h"
#include "bloomery/redis/push_filter.h"
#include "tests/module/server_client.h"
#include "tests/module/server_state.h"

namespace bloomery {
namespace {

using testing::free_port;
using testing::ModuleServer;
using testing::ModuleTest;

std::string bytes_of_file(const AnyFilter& filter, const FileNotes& notes = {}) {
  const FilterContents contents = filter.contents();
  std::string all;
  write_native(NativeHead(contents, notes), contents, [&](auto piece) {
    all.append(reinterpret_cast<const char*>(piece.data()), piece.size());
  });
  return all;
}
std::string bytes_of_new(AnyFilter filter, const FileNotes& notes = {}) {
  filter.insert("scanned");
  return bytes_of_file(filter, notes);
}
std::string bytes_of_new(FilterKind kind, const FileNotes& notes = {}) {
  FilterOptions options{.capacity = 20, .false_positive_rate = 0.001};
  options.window.length_ms = kind == FilterKind::windowed ? 3'600'000 : 0;
  return bytes_of_new(make_filter(kind, options), notes);
}

class LoadAdds : public ModuleTest {
 protected:
  static void bring(ModuleServer& server, const std::string& key, const std::string& bytes,
                    std::size_t from = 0) {
    EXPECT_EQ(
        server.call({"BLOOM.LOAD", key, "AT", std::to_string(from), bytes.substr(from)}).shown(),
        ":" + std::to_string(bytes.size()));
  }
  static void begin(ModuleServer& server, const std::string& key, const std::string& bytes) {
    EXPECT_EQ(server.call({"BLOOM.LOAD", key, "BEGIN", std::to_string(bytes.size())}).shown(),
              "+OK");
  }
  static std::string commit(ModuleServer& server, const std::string& key) {
    return server.ask("BLOOM.LOAD " + key + " COMMIT");
  }
  // By each command that adds; more than the new filter is made for.
  static void add(ModuleServer& server, const std::string& key, const std::string& mark) {
    server.ask("BF.ADD " + key + " bf-add" + mark);
    server.ask("BF.MADD " + key + " bf-madd" + mark + " bf-madd2" + mark);
    server.ask("BF.INSERT " + key + " NOCREATE ITEMS bf-insert" + mark);
    server.ask("BLOOM.ADD " + key + " add" + mark);
    server.ask("BLOOM.MADD " + key + " madd" + mark + " madd2" + mark);
  }
  static void expect_added(ModuleServer& server, const std::string& key, const std::string& mark) {
    for (const char* const each :
         {"bf-add", "bf-madd", "bf-madd2", "bf-insert", "add", "madd", "madd2"}) {
      EXPECT_EQ(server.call({"BLOOM.CHECK", key, each + mark}).shown(), "*1 :1") << each << mark;
    }
  }
};

// 0 says that it is there, and would be no longer with the filter that comes.
TEST_F(LoadAdds, AreRefusedByAFilterThatTakesNoneAlsoWhereItHasThem) {
  ModuleServer server(folder());
  const FilterOptions options{.capacity = 20, .false_positive_rate = 0.001};
  const FilterParameters of_static = parameters_for(FilterKind::fixed, {}, options);
  const HashPair hash = of_static.hash(Key("member"));
  const std::string built_once =
      bytes_of_file(AnyFilter(OwnedStaticFilter::build(of_static, {&hash, 1})));
  begin(server, "key", built_once);
  bring(server, "key", built_once);
  ASSERT_EQ(commit(server, "key"), "+OK");
  EXPECT_EQ(server.ask("BLOOM.MADD key member"), "*1 :0") << "and it stays there";

  const std::string bytes = bytes_of_new(FilterKind::blocked);
  begin(server, "key", bytes);
  const std::string refused = "-ERR problem inserting into filter";
  EXPECT_EQ(server.ask("BLOOM.ADD key member"), refused);
  EXPECT_EQ(server.ask("BLOOM.MADD key member"), "*1 " + refused);
  EXPECT_EQ(server.ask("BF.MADD key member"), "*1 " + refused);
  bring(server, "key", bytes);
  EXPECT_EQ(commit(server, "key"), "+OK");
  EXPECT_EQ(server.ask("BLOOM.CHECK key scanned member"), "*2 :1 :0");
}

TEST_F(LoadAdds, AreInTheOldFilterAndInTheNewOneOfEveryKind) {
  ModuleServer server(folder());
  for (const FilterKind kind : {FilterKind::blocked, FilterKind::classic, FilterKind::scalable,
                                FilterKind::counting, FilterKind::windowed}) {
    for (const char* const old : {"BF.RESERVE", "BLOOM.RESERVE"}) {
      const std::string bytes = bytes_of_new(kind);
      server.call({old, "key", "0.01", "100"});
      server.ask("BLOOM.MADD key before again");
      begin(server, "key", bytes);
      for (const char* const mark : {"1", "2", "3", "4"}) add(server, "key", mark);
      bring(server, "key", bytes);
      EXPECT_EQ(server.ask("BLOOM.ADD key again"), ":0") << "the old filter has it";
      expect_added(server, "key", "1");
      EXPECT_EQ(commit(server, "key"), "+OK");
      for (const char* const mark : {"1", "2", "3", "4"}) expect_added(server, "key", mark);
      EXPECT_EQ(server.ask("BLOOM.CHECK key scanned again"), "*2 :1 :1");
      server.ask("DEL key");
    }
  }
}

TEST_F(LoadAdds, AreKeptBeforeTheFirstFilterToo) {
  ModuleServer server(folder());
  const std::string bytes = bytes_of_new(FilterKind::scalable);
  EXPECT_EQ(server.ask("BLOOM.LOAD key BEGIN"), "+OK");
  EXPECT_EQ(server.ask("BLOOM.ADD key a"), ":1");
  EXPECT_EQ(server.ask("BLOOM.ADD key a"), ":0");
  EXPECT_EQ(server.ask("BF.MADD key a b"), "*2 :0 :1");
  EXPECT_EQ(server.ask("BF.ADD key c"), ":1");
  EXPECT_EQ(server.ask("BF.INSERT key CAPACITY 5 ITEMS d"), "*1 :1");
  EXPECT_EQ(server.ask("BLOOM.MADD key e"), "*1 :1");
  EXPECT_EQ(server.ask("BLOOM.CHECK key other").substr(0, 9), "-NOTREADY")
      << "a small filter would say absent of all others";
  EXPECT_EQ(server.ask("BLOOM.CHECK key a"), "-NOTREADY the filter is still being loaded");
  EXPECT_EQ(server.ask("BF.MEXISTS key a x"), "*2 :1 :0");
  EXPECT_EQ(server.ask("BF.EXISTS key b"), ":1");
  EXPECT_EQ(server.ask("BLOOM.LOAD key AT 0 x").substr(0, 22), "-ERR BLOOM.LOAD key BY");
  EXPECT_EQ(server.call({"BLOOM.LOAD", "key", "BYTES", std::to_string(bytes.size())}).shown(),
            "+OK");
  bring(server, "key", bytes);
  EXPECT_EQ(commit(server, "key"), "+OK");
  EXPECT_EQ(server.ask("BLOOM.CHECK key a b c d e scanned x"), "*7 :1 :1 :1 :1 :1 :1 :0");
}

TEST_F(LoadAdds, GoWhereTheLoadGoes) {
  const std::string bytes = bytes_of_new(FilterKind::windowed);
  for (const char* const preamble : {"yes", "no"}) {
    const std::vector<std::string> options{"--appendonly", "yes", "--aof-use-rdb-preamble",
                                           preamble};
    const auto rewrite = [](ModuleServer& server) {
      server.ask("BGREWRITEAOF");
      EXPECT_TRUE(testing::comes_true(
          [&] { return testing::info(server.client, "aof_rewrite_in_progress") == "0"; }));
    };
    const std::string place = folder(preamble);
    {
      ModuleServer server(place, {}, options);
      server.ask("BLOOM.RESERVE key 0.01 100");
      for (const char* const key : {"key", "none"}) {
        begin(server, key, bytes);
        add(server, key, "1");
      }
      EXPECT_EQ(server.ask("DEBUG RELOAD"), "+OK");
      for (const char* const key : {"key", "none"}) add(server, key, "2");
      const std::string before = server.ask("DEBUG DIGEST-VALUE {key}.loading {none}.loading");
      rewrite(server);
      EXPECT_EQ(server.ask("DEBUG LOADAOF"), "+OK");
      EXPECT_EQ(server.ask("DEBUG DIGEST-VALUE {key}.loading {none}.loading"), before);
      for (const char* const key : {"key", "none"}) add(server, key, "3");
    }
    ModuleServer server(place, {}, options);
    for (const char* const key : {"key", "none"}) {
      bring(server, key, bytes);
      EXPECT_EQ(commit(server, key), "+OK");
      for (const char* const mark : {"1", "2", "3"}) {
        expect_added(server, key, mark);
      }
    }
  }
}

TEST_F(LoadAdds, AreOnReplicasOfAnyAge) {
  const std::string port = free_port();
  ModuleServer primary(folder("primary"), {}, {"--port", port, "--repl-diskless-sync-delay", "0"});
  ModuleServer early(folder("early"), {}, {"--replicaof", "127.0.0.1 " + port});
  ASSERT_TRUE(testing::has_synced(early));
  const std::string bytes = bytes_of_new(FilterKind::windowed);
  primary.ask("BF.MADD key before again");
  for (const char* const key : {"key", "none"}) begin(primary, key, bytes);
  for (const char* const key : {"key", "none"}) add(primary, key, "1");
  ModuleServer late(folder("late"), {}, {"--replicaof", "127.0.0.1 " + port});
  ASSERT_TRUE(testing::has_synced(late));
  for (const char* const key : {"key", "none"}) {
    add(primary, key, "2");
    bring(primary, key, bytes);
    add(primary, key, "3");
  }
  primary.ask("BF.ADD key again");
  for (const char* const key : {"key", "none"}) EXPECT_EQ(commit(primary, key), "+OK");
  ASSERT_EQ(primary.ask("WAIT 2 10000"), ":2");
  for (ModuleServer* const each : {&primary, &early, &late}) {
    for (const char* const mark : {"1", "2", "3"}) expect_added(*each, "key", mark);
    EXPECT_EQ(each->ask("BLOOM.CHECK key scanned again"), "*2 :1 :1");
    for (const char* const key : {"key", "none"}) {
      EXPECT_EQ(each->call({"DEBUG", "DIGEST-VALUE", key}).shown(),
                primary.call({"DEBUG", "DIGEST-VALUE", key}).shown());
    }
  }
}

TEST_F(LoadAdds, CountAsOftenAsTheyCame) {
  ModuleServer server(folder());
  const std::string bytes = bytes_of_new(FilterKind::counting);
  server.ask("BLOOM.RESERVE key 0.01 100 COUNTING");
  begin(server, "key", bytes);
  server.ask("BLOOM.MADD key twice twice gone");
  EXPECT_EQ(server.ask("BLOOM.DEL key gone"), ":1");
  bring(server, "key", bytes);
  EXPECT_EQ(commit(server, "key"), "+OK");
  EXPECT_EQ(server.ask("BLOOM.DEL key twice"), ":1");
  EXPECT_EQ(server.ask("BLOOM.CHECK key twice gone"), "*2 :1 :1") << "erases are not applied";
}

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

// Of a first filter, which is not there yet, the load alone has what is added.
TEST_F(LoadAdds, WhatAFirstLoadTookIsNeverAbsentHoweverItEnds) {
  ModuleServer server(folder());
  const std::string bytes = bytes_of_new(FilterKind::blocked);
  for (const char* end : {"ABORT", "expires", "wrong piece", "COMMIT"}) {
    begin(server, "users", bytes);
    EXPECT_EQ(server.ask("BF.ADD users alice"), ":1") << end;
    EXPECT_EQ(server.ask("BF.MADD users alice bob"), "*2 :0 :1") << end;
    EXPECT_EQ(server.ask("BF.MEXISTS users alice bob carol"), "*3 :1 :1 :0") << end;
    EXPECT_EQ(server.ask("BLOOM.CHECK users alice").substr(0, 9), "-NOTREADY") << end;
    // Also where a full server has evicted what keeps the key.
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
  // It was elsewhere, where items may have been added that it did not see.
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
  // It ended by itself.
  begin(server, "key", bytes);
  bring(server, "key", bytes);
  server.ask("PEXPIRE {key}.loading 1");
  usleep(5'000);
  EXPECT_EQ(commit(server, "key").substr(0, 16), "-ERR no load of ");
  // A merge would be lost.
  server.ask("BF.ADD other b");
  begin(server, "key", bytes);
  EXPECT_EQ(server.ask("BLOOM.MERGE key other").substr(0, 20), "-ERR a load of this ");
  // And so would what comes by chunks, into the filter or into one of their own.
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
  // More than the server has room for.
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
  // Another load goes on with all that was answered.
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

TEST_F(LoadAdds, NothingIsLostOverRebuildsUnderTraffic) {
  ModuleServer server(folder());
  redis::Client own(redis::parse_location("unix://" + server.socket() + "#key"));
  server.ask("BLOOM.RESERVE key 0.01 1000");
  std::atomic<int> rows = 0;  // in the database, before they are in the filter
  std::atomic<int> added = 0;
  std::atomic<bool> stops = false;
  std::thread writer([&] {
    testing::Client client(server.socket());
    for (int i = 0; !stops; added = ++i) {
      rows = i + 1;
      const std::string reply = client.call({"BLOOM.ADD", "key", std::to_string(i)}).line;
      if (reply[0] == '-') ADD_FAILURE() << reply;
    }
  });
  for (int round = 0; round < 8; ++round) {
    redis::PushOptions options;
    options.load_id = redis::begin_push(own);
    AnyFilter fresh = make_filter(FilterKind::scalable, {.capacity = 1000});
    const int scanned = rows;
    for (int i = 0; i < scanned; ++i) fresh.insert(std::to_string(i));
    const int before = added;
    EXPECT_TRUE(testing::comes_true([&] { return added > before + 50; }));
    redis::push_filter(fresh.contents(), own, options);
  }
  stops = true;
  writer.join();
  EXPECT_GT(added, 400);
  for (int i = 0; i < added; ++i) {
    EXPECT_EQ(server.call({"BLOOM.CHECK", "key", std::to_string(i)}).shown(), "*1 :1") << i;
  }
}

TEST_F(LoadAdds, TheWatermarkIsTheOneThatCame) {
  ModuleServer server(folder());
  const std::string bytes = bytes_of_new(FilterKind::blocked, {.watermark = 77, .epoch = 2});
  begin(server, "key", bytes);
  server.ask("BLOOM.ADD key later");
  bring(server, "key", bytes);
  EXPECT_EQ(commit(server, "key"), "+OK");
  EXPECT_NE(server.ask("BLOOM.INFO key").find("+Watermark :77"), std::string::npos);
  EXPECT_EQ(server.ask("DEBUG RELOAD"), "+OK");
  EXPECT_NE(server.ask("BLOOM.INFO key").find("+Watermark :77"), std::string::npos);
}

TEST_F(LoadAdds, ApplyIsForReplicasAndFilesAlone) {
  ModuleServer server(folder());
  server.ask("BLOOM.RESERVE key 0.01 100 WINDOW 60");
  server.ask("BLOOM.ADD key a");
  EXPECT_EQ(server.ask("BLOOM.APPLY key 99999999999999 b"),
            "-ERR BLOOM.APPLY is for append-only files and primaries alone");
  EXPECT_EQ(server.ask("BLOOM.CHECK key a b"), "*2 :1 :0");
}

}  // namespace
}  // namespace bloomery
