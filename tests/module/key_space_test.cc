// SPDX-License-Identifier: Apache-2.0
// What happens to filters as to any key, and what clients and limits do in the midst of work.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>

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

TEST_F(KeySpace, AFullServerThatEvictsMakesRoomForFilters) {
  ModuleServer server(folder());
  const auto number = [&](const char* field) {
    return std::stoull(testing::info(server.client, field));
  };
  constexpr std::uint64_t kRoom = 24 << 20;
  const std::uint64_t most = number("used_memory") + kRoom;
  ASSERT_EQ(server.ask("CONFIG SET maxmemory-policy allkeys-lru"), "+OK");
  ASSERT_EQ(server.ask("CONFIG SET maxmemory " + std::to_string(most)), "+OK");
  ASSERT_EQ(server.ask("DEBUG POPULATE 8000 row 4000"), "+OK");
  server.ask("SET row:x y");
  const auto is_full = [&] {
    server.ask("SET row:x y");
    return number("used_memory") <= most + (256 << 10);
  };
  ASSERT_TRUE(testing::comes_true(is_full));
  // The server's clock of last uses ticks once a second, and filters are to be younger than rows.
  std::this_thread::sleep_for(std::chrono::milliseconds(1'200));
  const std::uint64_t before = number("evicted_keys");
  ASSERT_GT(before, 500U);

  EXPECT_EQ(server.ask("BF.RESERVE bf 0.01 4000000"), "+OK");  // 5 MB
  EXPECT_TRUE(testing::comes_true(is_full));
  EXPECT_EQ(server.ask("CF.RESERVE cf 8000000"), "+OK");  // 8 MiB
  EXPECT_TRUE(testing::comes_true(is_full));
  EXPECT_EQ(server.ask("BLOOM.RESERVE native 0.01 2000000 EXPANSION 0"), "+OK");  // 2.5 MB
  EXPECT_TRUE(testing::comes_true(is_full));
  // The filters take the memory that evicted rows made room for.
  EXPECT_GT(number("evicted_keys") - before, 2'000U);

  EXPECT_EQ(server.ask("BF.RESERVE grown 0.01 100000 EXPANSION 8"), "+OK");
  constexpr int kBatch = 5000;
  for (int i = 0; i < 120'000; i += kBatch) {
    std::vector<std::string> words{"BF.MADD", "grown"};
    for (int each = i; each < i + kBatch; ++each) words.push_back(std::to_string(each));
    // A server that is just evicting may refuse a command before the module sees it.
    const auto is_taken = [&] {
      const auto reply = server.call(words);
      return !reply.items.empty() && reply.items.back().line[0] == ':';
    };
    ASSERT_TRUE(testing::comes_true(is_taken)) << i;
  }
  EXPECT_GT(std::stoi(server.ask("BF.CARD grown").substr(1)), 118'000);

  // A filter that no eviction makes room for is refused, and costs nobody a row.
  const std::uint64_t rows = number("evicted_keys");
  EXPECT_EQ(server.ask("BF.RESERVE huge 0.01 40000000"),
            "-ERR Insufficient memory to create filter");
  EXPECT_EQ(server.ask("EXISTS huge"), ":0");
  EXPECT_LT(number("evicted_keys"), rows + 100);
}

}  // namespace
}  // namespace bloomery
