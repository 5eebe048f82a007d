// SPDX-License-Identifier: Apache-2.0
// Items that are added to a key while a filter for it is on its way: they are in that too.
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "bloomery/filter/filter_kinds.h"
#include "bloomery/filter/owned_static_filter.h"
#include "bloomery/filter/parameters.h"
#include "bloomery/redis/places/push_filter.h"
#include "tests/module/load_adds.h"
#include "tests/module/server_client.h"
#include "tests/module/server_state.h"

namespace bloomery {
namespace {

using testing::bytes_of_file;
using testing::bytes_of_new;
using testing::free_port;
using testing::LoadAdds;
using testing::ModuleServer;

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

TEST_F(LoadAdds, GoOnAtAReplicaThatBecomesThePrimary) {
  const std::string port = free_port();
  const std::string bytes = bytes_of_new(FilterKind::blocked);
  const std::string half = bytes.substr(0, bytes.size() / 2);
  auto primary = std::make_unique<ModuleServer>(
      folder("primary"), std::vector<std::string>{},
      std::vector<std::string>{"--port", port, "--repl-diskless-sync-delay", "0"});
  ModuleServer replica(folder("replica"), {}, {"--replicaof", "127.0.0.1 " + port});
  ASSERT_TRUE(testing::has_synced(replica));
  begin(*primary, "key", bytes);
  add(*primary, "key", "1");
  EXPECT_EQ(primary->call({"BLOOM.LOAD", "key", "AT", "0", half}).shown(),
            ":" + std::to_string(half.size()));
  ASSERT_EQ(primary->ask("WAIT 1 10000"), ":1");
  primary->end(SIGKILL);
  ASSERT_EQ(replica.ask("REPLICAOF NO ONE"), "+OK");
  add(replica, "key", "2");
  bring(replica, "key", bytes, half.size());
  EXPECT_EQ(commit(replica, "key"), "+OK");
  for (const char* const mark : {"1", "2"}) expect_added(replica, "key", mark);
  EXPECT_EQ(replica.ask("BLOOM.CHECK key scanned"), "*1 :1");
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
