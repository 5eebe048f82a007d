// SPDX-License-Identifier: Apache-2.0
// Primaries that die, links that break, replicas of replicas.
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/module/filters_under_test.h"
#include "tests/module/server_client.h"
#include "tests/module/server_state.h"

namespace bloomery {
namespace {

using testing::Client;
using testing::FilterUnderTest;
using testing::ModuleServer;
using testing::ModuleTest;

class Failover : public ModuleTest {
 protected:
  ModuleServer& start(const std::string& name, const std::string& port,
                      const std::string& primary_port = {}) {
    std::vector<std::string> options{"--port", port, "--repl-diskless-sync-delay", "0"};
    if (!primary_port.empty()) {
      options.insert(options.end(), {"--replicaof", "127.0.0.1 " + primary_port});
    }
    servers_.push_back(std::make_unique<ModuleServer>(folder(name), std::vector<std::string>{},
                                                      std::move(options)));
    return *servers_.back();
  }
  static void add(ModuleServer& to, const std::vector<FilterUnderTest>& filters, int first,
                  int last) {
    for (int i = first; i < last; ++i) {
      for (const auto& each : filters) {
        to.client.send_command({each.add, each.key, std::to_string(i)});
      }
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(last - first) * filters.size(); ++i) {
      to.client.read_reply();
    }
  }
  static bool come_equal(ModuleServer& a, ModuleServer& b) {
    return testing::comes_true([&] { return a.ask("DEBUG DIGEST") == b.ask("DEBUG DIGEST"); });
  }

 private:
  std::vector<std::unique_ptr<ModuleServer>> servers_;
};

TEST_F(Failover, KeepsEveryItemThatWasWaitedFor) {
  const std::string first = testing::free_port();
  const std::string second = testing::free_port();
  ModuleServer& primary = start("primary", first);
  const auto filters = testing::one_of_each(primary.client);
  add(primary, filters, 0, 200);  // comes with the full copy
  ModuleServer& replica = start("replica", second, first);
  ModuleServer& chained = start("chained", testing::free_port(), second);
  ASSERT_TRUE(testing::has_synced(replica) && testing::has_synced(chained));

  std::atomic<int> waited_for = 200;
  std::thread killer([&] {
    testing::comes_true([&] { return waited_for > 1000; });
    primary.end(SIGKILL);
  });
  try {
    for (;;) {
      add(primary, filters, waited_for, waited_for + 10);
      if (primary.ask("WAIT 1 5000") != ":1") break;
      waited_for += 10;
    }
  } catch (const std::runtime_error&) {  // gone
  }
  killer.join();
  EXPECT_GT(waited_for, 1000);

  ASSERT_EQ(replica.ask("REPLICAOF NO ONE"), "+OK");
  for (const auto& each : filters) {
    EXPECT_EQ(testing::lost_items(replica.client, each, waited_for), 0) << each.key;
  }
  add(replica, filters, waited_for, waited_for + 500);
  ASSERT_EQ(replica.ask("WAIT 1 10000"), ":1");
  EXPECT_EQ(replica.ask("DEBUG DIGEST"), chained.ask("DEBUG DIGEST"));
  for (const auto& each : filters) {
    EXPECT_EQ(testing::lost_items(chained.client, each, waited_for + 500), 0) << each.key;
  }
}

TEST_F(Failover, CatchesUpAfterABrokenLink) {
  const std::string port = testing::free_port();
  ModuleServer& primary = start("primary", port);
  const auto filters = testing::one_of_each(primary.client);
  add(primary, filters, 0, 100);
  ModuleServer& replica = start("replica", testing::free_port(), port);
  ASSERT_TRUE(testing::has_synced(replica));
  for (int round = 1; round <= 3; ++round) {
    // In the midst of a stream of adds.
    add(primary, filters, 100 * round, 100 * round + 50);
    EXPECT_EQ(primary.ask("CLIENT KILL TYPE replica"), ":1");
    add(primary, filters, 100 * round + 50, 100 * round + 100);
    ASSERT_TRUE(testing::comes_true(
        [&] { return testing::info(primary.client, "sync_partial_ok") == std::to_string(round); }));
    EXPECT_TRUE(come_equal(primary, replica));
  }
  EXPECT_EQ(testing::info(primary.client, "sync_full"), "1");
}

// A filter that a replica evicted by itself, and to which its primary adds, is not made anew of the
// last items alone.
TEST_F(Failover, AReplicaThatEvictsHasNoFilterOfItsLastItemsAlone) {
  const std::string port = testing::free_port();
  ModuleServer& primary = start("primary", port);
  for (const char* make : {"BF.RESERVE bf 0.01 1000", "BF.ADD made a", "CF.ADD cf a",
                           "BLOOM.RESERVE native 0.01 1000"}) {
    primary.ask(make);
  }
  const std::vector<std::string> files{"--appendonly", "yes", "--aof-use-rdb-preamble", "no"};
  std::vector<std::string> options = files;
  options.insert(options.end(), {"--replicaof", "127.0.0.1 " + port, "--replica-ignore-maxmemory",
                                 "no", "--maxmemory-policy", "allkeys-lru"});
  const auto add = [&](const std::string& item) {
    for (const char* command : {"BF.ADD bf ", "BF.MADD made ", "CF.ADD cf ", "BLOOM.ADD native "}) {
      primary.ask(command + item);
    }
  };
  add("first");
  for (int restart = 0; restart < 2; ++restart) {
    ModuleServer replica(folder("replica"), {}, restart == 0 ? options : files);
    if (restart == 0) {
      ASSERT_TRUE(come_equal(primary, replica));
      ASSERT_TRUE(testing::comes_true(
          [&] { return testing::info(replica.client, "aof_rewrite_in_progress") == "0"; }));
      replica.ask("CONFIG SET maxmemory 1");  // evicts all, and has the primary's buffer beside
      ASSERT_TRUE(testing::comes_true([&] { return replica.ask("DBSIZE") == ":0"; }));
      replica.ask("CONFIG SET maxmemory 1gb");
      add("last");
      primary.ask("BF.INSERT new CAPACITY 10 ERROR 0.1 EXPANSION 2 ITEMS a");
      ASSERT_TRUE(testing::comes_true([&] { return replica.ask("DBSIZE") == ":5"; }));
    }
    for (const char* key : {"bf", "made", "native"}) {
      EXPECT_EQ(replica.ask("BLOOM.CHECK " + std::string(key) + " first"), "$-1") << key << restart;
      EXPECT_EQ(replica.ask("BF.EXISTS " + std::string(key) + " first")[0], '-') << key << restart;
    }
    EXPECT_EQ(replica.ask("CF.EXISTS cf first")[0], '-') << restart;
    EXPECT_EQ(replica.ask("BLOOM.CHECK new a"), "*1 :1") << "which it saw made";
  }
}

}  // namespace
}  // namespace bloomery
