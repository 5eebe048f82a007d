// What happens to filters as to any key, and what clients and limits do in the midst of work.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "tests/module/filters_under_test.h"
#include "tests/module/server_client.h"
#include "tests/module/server_state.h"

namespace bloomery {
namespace {

using testing::Client;
using testing::ModuleServer;
using testing::ModuleTest;

class KeySpace : public ModuleTest {
 protected:
  static void add(Client& client, const testing::FilterUnderTest& filter, int count) {
    for (int i = 0; i < count; ++i) client.call({filter.add, filter.key, std::to_string(i)});
  }
  static std::string digest(ModuleServer& server, const std::string& key) {
    return server.call({"DEBUG", "DIGEST-VALUE", key}).shown();
  }
};

TEST_F(KeySpace, ExpiredFiltersAreGone) {
  ModuleServer server(folder());
  for (const auto& each : testing::one_of_each(server.client)) {
    add(server.client, each, 100);
    EXPECT_EQ(server.call({"PEXPIRE", each.key, "1"}).line, ":1");
    EXPECT_TRUE(testing::comes_true([&] {
      return server.call({"EXISTS", each.key}).line == ":0";
    }));
    EXPECT_EQ(server.call({each.exists, each.key, "1"}).line, ":0");
  }
  EXPECT_EQ(server.ask("BF.ADD bf 1"), ":1");
  EXPECT_EQ(server.ask("BF.CARD bf"), ":1");
  EXPECT_EQ(server.ask("TTL bf"), ":-1");
}

TEST_F(KeySpace, FiltersMoveWithTheirKeys) {
  ModuleServer server(folder());
  for (const auto& each : testing::one_of_each(server.client)) {
    testing::one_of_each(server.client);  // again, after the flush
    add(server.client, each, 300);
    const std::string before = digest(server, each.key);
    EXPECT_EQ(server.call({"RENAME", each.key, "renamed"}).line, "+OK");
    EXPECT_EQ(digest(server, "renamed"), before);
    EXPECT_EQ(server.ask("MOVE renamed 1"), ":1");
    EXPECT_EQ(server.ask("SWAPDB 0 1"), "+OK");
    EXPECT_EQ(digest(server, "renamed"), before);
    EXPECT_EQ(server.ask("COPY renamed copy"), ":1");
    EXPECT_EQ(server.ask("UNLINK renamed"), ":1");
    EXPECT_EQ(digest(server, "copy"), before);
    EXPECT_EQ(testing::lost_items(server.client, {"copy", each.add, each.exists}, 300), 0);
    server.ask("FLUSHALL ASYNC");
    EXPECT_EQ(server.ask("DBSIZE"), ":0");
  }
}

TEST_F(KeySpace, TransactionsAreWholeOrNothing) {
  ModuleServer server(folder());
  Client other(server.socket());
  for (const auto& each : testing::one_of_each(server.client)) {
    server.ask("MULTI");
    EXPECT_EQ(server.call({each.add, each.key, "discarded"}).line, "+QUEUED");
    EXPECT_EQ(server.ask("DISCARD"), "+OK");
    EXPECT_EQ(server.call({each.exists, each.key, "discarded"}).line, ":0");

    server.call({"WATCH", each.key});
    other.call({each.add, each.key, "first"});
    server.ask("MULTI");
    server.call({each.add, each.key, "late"});
    EXPECT_EQ(server.ask("EXEC"), "*-1");
    EXPECT_EQ(server.call({each.exists, each.key, "late"}).line, ":0");

    const std::string script =
        "redis.call(ARGV[1], KEYS[1], 'x') return redis.call(ARGV[2], KEYS[1], 'x')";
    EXPECT_EQ(server.call({"EVAL", script, "1", each.key, each.add, each.exists}).line, ":1");
  }
}

TEST_F(KeySpace, TheModuleStaysAsLongAsItsTypes) {
  ModuleServer server(folder());
  server.ask("BF.ADD bf a");
  EXPECT_EQ(server.ask("MODULE UNLOAD bf")[0], '-');
  EXPECT_EQ(server.ask("BF.EXISTS bf a"), ":1");
}

TEST_F(KeySpace, AClientKilledInTheMidstOfItsCommandsLeavesWholeFilters) {
  ModuleServer server(folder());
  for (const auto& each : testing::one_of_each(server.client)) {
    Client victim(server.socket());
    const std::string id = victim.ask("CLIENT ID").substr(1);
    try {
      for (int i = 0; i < 3000; ++i) {
        victim.send_command({each.add, each.key, std::to_string(i)});
        if (i == 2000) server.call({"CLIENT", "KILL", "ID", id});
      }
    } catch (const std::runtime_error&) {  // as it should be
    }
    int answered = 0;
    try {
      for (;; ++answered) victim.read_reply();
    } catch (const std::runtime_error&) {
    }
    EXPECT_LT(answered, 3000);
    EXPECT_EQ(testing::lost_items(server.client, each, answered), 0) << each.key;
    const std::string before = digest(server, each.key);
    EXPECT_EQ(server.ask("DEBUG RELOAD"), "+OK");
    EXPECT_EQ(digest(server, each.key), before);
  }
}

TEST_F(KeySpace, AtMaxmemoryMembersStay) {
  ModuleServer server(folder());
  const auto filters = testing::one_of_each(server.client);
  for (const auto& each : filters) add(server.client, each, 500);
  const std::string used = testing::info(server.client, "used_memory");
  ASSERT_EQ(server.ask("CONFIG SET maxmemory " + used), "+OK");
  server.ask("SET filler " + std::string(100'000, 'x'));
  for (const auto& each : filters) {
    EXPECT_TRUE(server.call({each.add, each.key, "more"}).line.starts_with("-OOM")) << each.key;
    EXPECT_EQ(testing::lost_items(server.client, each, 500), 0) << each.key;
  }
  EXPECT_TRUE(server.ask("BF.RESERVE new 0.01 1000").starts_with("-OOM"));

  // Room, but not for as much as is asked.
  ASSERT_EQ(server.ask("CONFIG SET maxmemory " + std::to_string(std::stoull(used) + (8 << 20))),
            "+OK");
  EXPECT_EQ(server.ask("BF.RESERVE new 0.01 100000000")[0], '-');
  EXPECT_EQ(server.ask("EXISTS new"), ":0");
  ASSERT_EQ(server.ask("CONFIG SET maxmemory 0"), "+OK");
  for (const auto& each : filters) {
    EXPECT_EQ(server.call({each.add, each.key, "more"}).line[0], ':') << each.key;
    EXPECT_EQ(server.call({each.exists, each.key, "more"}).line, ":1") << each.key;
  }
}

}  // namespace
}  // namespace bloomery
