// SPDX-License-Identifier: Apache-2.0
// A cache in a server that processes share: what is written, by whom, and what is refused.

#include "bloomery/cache/redis_cache.h"

#include <gtest/gtest.h>

#include <csignal>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bloomery/filter/blocked_filter.h"
#include "bloomery/guard/cache_guard.h"
#include "bloomery/place/memory_place.h"
#include "bloomery/redis/client/errors.h"
#include "tests/store/scratch_folder.h"
#include "tests/support/redis_server.h"
#include "tests/support/run_threads.h"

namespace bloomery {
namespace {

using std::chrono::milliseconds;
using testing::RedisServer;

constexpr milliseconds kLong{600'000};

class SharedCache : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!RedisServer::is_installed()) GTEST_SKIP() << "no redis-server here";
    server_ = std::make_unique<RedisServer>(folder_.path().string());
  }
  std::string at(const std::string& settings = "") const {
    return "redis+unix://" + server_->socket() + settings + "#users";
  }
  int calls(const std::string& command) const {
    const std::string info = server_->ask("INFO commandstats");
    const std::string name = "cmdstat_" + command + ":calls=";
    const std::size_t found = info.find(name);
    return found == std::string::npos ? 0 : std::stoi(info.substr(found + name.size()));
  }

  testing::ScratchFolder folder_;
  std::unique_ptr<RedisServer> server_{};
};

template <class Value>
CacheAnswer<Value> get(Cache<Value>& cache, Key key) {
  CacheAnswer<Value> answer;
  cache.get_many({&key, 1}, {&answer, 1});
  return answer;
}

void put(Cache<std::string>& cache, Key key, const std::string* value, std::uint64_t ticket) {
  const CacheEntry<std::string> entry{.key = key, .value = value, .ttl = kLong, .ticket = ticket};
  cache.put_many({&entry, 1});
}

TEST_F(SharedCache, KeepsValuesAndThatThereIsNone) {
  RedisCache<> one(at());
  RedisCache<> other(at());
  const std::string bytes("\0V\r\n\xff", 5);
  EXPECT_EQ(get(one, "a").state, Cached::miss);
  one.put("a", bytes, kLong);
  one.put("", "", kLong);
  put(one, "none", nullptr, get(one, "none").ticket);
  EXPECT_EQ(get(other, "a").state, Cached::hit);
  EXPECT_EQ(get(other, "a").value, bytes);
  EXPECT_EQ(get(other, "").value, "");
  EXPECT_EQ(get(other, "none").state, Cached::negative);
  EXPECT_EQ(get(other, "generation").state, Cached::miss);
  other.erase("a");
  EXPECT_EQ(get(one, "a").state, Cached::miss);
  // A value that looks like an entry of ours is a value.
  one.put("a", "N0000000000000000", kLong);
  EXPECT_EQ(get(one, "a").value, "N0000000000000000");
}

TEST_F(SharedCache, RefusesWhatWasLearntBeforeAnEraseByAnotherProcess) {
  RedisCache<> reader(at());
  RedisCache<> writer(at());
  const std::string old = "old";
  const auto before = get(reader, "k");
  writer.erase("k");
  put(reader, "k", nullptr, before.ticket);
  EXPECT_EQ(get(writer, "k").state, Cached::miss);
  put(reader, "k", &old, before.ticket);
  EXPECT_EQ(get(writer, "k").state, Cached::miss);
  put(reader, "k", &old, get(reader, "k").ticket);
  EXPECT_EQ(get(writer, "k").value, "old");
}

TEST_F(SharedCache, ANegativeEntryNeverTakesAValuesPlaceAndCountsInItsGenerationAlone) {
  RedisCache<> cache(at());
  const SharedStrings names(at());
  const std::string value = "v";
  const auto ticket = get(cache, "k").ticket;
  put(cache, "k", &value, ticket);
  put(cache, "k", nullptr, ticket);
  EXPECT_EQ(get(cache, "k").value, "v");

  put(cache, "none", nullptr, get(cache, "none").ticket);
  ASSERT_EQ(get(cache, "none").state, Cached::negative);
  // The generation is lost, and whatever comes next is another.
  server_->ask("DEL '" + names.generation_name("none") + "'");
  EXPECT_EQ(get(cache, "none").state, Cached::miss);
  put(cache, "none", nullptr, get(cache, "none").ticket);
  EXPECT_EQ(get(cache, "none").state, Cached::negative) << "the old one is replaced";
  const auto before = get(cache, "other");
  server_->ask("FLUSHALL");
  put(cache, "other", &value, before.ticket);
  EXPECT_EQ(get(cache, "other").state, Cached::miss);
}

TEST_F(SharedCache, ABatchIsOneTripEachWay) {
  RedisCache<> cache(at());
  std::vector<std::string> texts;
  for (int i = 0; i < 2'000; ++i) texts.push_back("key" + std::to_string(i));
  const std::vector<Key> keys(texts.begin(), texts.end());
  std::vector<CacheAnswer<std::string>> answers(keys.size());
  cache.get_many(keys, answers);
  server_->ask("CONFIG RESETSTAT");
  cache.get_many(keys, answers);
  EXPECT_EQ(calls("mget"), 1);
  std::vector<CacheEntry<std::string>> entries;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    entries.push_back({.key = keys[i],
                       .value = i % 2 == 0 ? &texts[i] : nullptr,
                       .ttl = kLong,
                       .ticket = answers[i].ticket});
  }
  cache.put_many(entries);
  EXPECT_EQ(calls("eval"), 2);
  cache.get_many(keys, answers);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    ASSERT_EQ(answers[i].state, i % 2 == 0 ? Cached::hit : Cached::negative) << i;
    ASSERT_EQ(answers[i].value.value_or(texts[i]), texts[i]);
  }
  server_->ask("CONFIG RESETSTAT");
  cache.erase_many(keys);
  EXPECT_EQ(calls("exec"), 1);
  cache.get_many(keys, answers);
  for (const auto& each : answers) ASSERT_EQ(each.state, Cached::miss);
}

TEST_F(SharedCache, EntriesExpireAndGenerationsDoNot) {
  RedisCache<> cache(at());
  const SharedStrings names(at());
  cache.put("brief", "v", milliseconds(-5));
  cache.put("long", "v", milliseconds::max());
  cache.get_many({}, {});
  EXPECT_GT(std::stoll(server_->ask("PTTL '" + names.entry_name("long") + "'")), kLong.count());
  get(cache, "long");
  EXPECT_EQ(server_->ask("PTTL '" + names.generation_name("long") + "'"), "-1\n");
  std::this_thread::sleep_for(milliseconds(5));
  EXPECT_EQ(get(cache, "brief").state, Cached::miss);
}

TEST_F(SharedCache, WhatIsNoEntryIsNone) {
  RedisCache<> cache(at());
  const SharedStrings names(at());
  const std::string entry = "'" + names.entry_name("k") + "'";
  const std::string generation = "'" + names.generation_name("k") + "'";
  for (const char* bytes : {"''", "X", "N", "N123", "n"}) {
    server_->ask("SET " + entry + " " + bytes);
    EXPECT_EQ(get(cache, "k").state, Cached::miss) << bytes;
  }
  server_->ask("DEL " + entry);
  server_->ask("HSET " + entry + " a b");
  EXPECT_EQ(get(cache, "k").state, Cached::miss);
  for (const char* bytes : {"17", "000000000000000G", "ABCDEFABCDEFABCD", "''"}) {
    server_->ask("SET " + generation + " " + bytes);
    EXPECT_EQ(get(cache, "k").state, Cached::unknown) << bytes;
  }
  server_->ask("DEL " + generation);
  server_->ask("HSET " + generation + " a b");
  EXPECT_THROW(get(cache, "k"), redis::RefusedError);
  EXPECT_THROW(RedisCache<>("redis://h?bits=3#users"), std::invalid_argument);
  EXPECT_THROW(RedisCache<>("redis://h?replica=1#users"), std::invalid_argument);
  EXPECT_THROW(RedisCache<>("redis://h#a{b}"), std::invalid_argument);
}

TEST_F(SharedCache, AReplicaIsNotBelieved) {
  RedisCache<> cache(at());
  put(cache, "none", nullptr, get(cache, "none").ticket);
  server_->ask("REPLICAOF 127.0.0.1 1");
  EXPECT_THROW(get(cache, "none"), StoreError);
  EXPECT_THROW(cache.erase("none"), StoreError);
}

TEST_F(SharedCache, EveryValueHasItsOwnBytes) {
  struct Row {
    int number;
  };
  RedisCache<Row> cache(at(), {.encode = [](const Row& row) { return std::to_string(row.number); },
                               .decode = [](std::string_view bytes) -> std::optional<Row> {
                                 if (bytes.empty() || bytes == "7") return std::nullopt;
                                 return Row{std::stoi(std::string(bytes))};
                               }});
  cache.put("a", {42}, kLong);
  cache.put("b", {7}, kLong);
  EXPECT_EQ(get<Row>(cache, "a").value->number, 42);
  EXPECT_EQ(get<Row>(cache, "b").state, Cached::miss);
}

TEST_F(SharedCache, SingleKeysOfManyThreadsShareTrips) {
  RedisCache<> cache(at());
  for (int i = 0; i < 32; ++i) cache.put(std::to_string(i), std::to_string(i), kLong);
  server_->ask("CONFIG RESETSTAT");
  // The pause makes all questions come before the first round trip is back, however busy the
  // machine is.
  server_->ask("CLIENT PAUSE 400 ALL");
  run_threads(32,
              [&](int t) { EXPECT_EQ(get(cache, std::to_string(t)).value, std::to_string(t)); });
  EXPECT_LT(calls("mget"), 32 / 2);
}

// Two guards with a cache object each stand for two processes.
TEST_F(SharedCache, BelowTwoGuardsNoRowIsDeniedAfterItsTokenEnded) {
  RedisCache<> caches[]{RedisCache<>(at()), RedisCache<>(at())};
  std::map<std::string, std::string> rows{{"alice", "Alice"}};
  const Loader<std::string> load = [&](std::span<const Key> keys) {
    std::vector<std::optional<std::string>> found;
    for (const Key key : keys) {
      const auto row = rows.find(std::string(key));
      found.push_back(row == rows.end() ? std::nullopt : std::optional(row->second));
    }
    return found;
  };
  const FilterOptions options{.capacity = 1'000, .false_positive_rate = 0.01};
  MemoryPlace<BlockedFilter> filters[]{MemoryPlace(BlockedFilter(options)),
                                       MemoryPlace(BlockedFilter(options))};
  CacheGuard<> here(filters[0], caches[0], load);
  CacheGuard<> there(filters[1], caches[1], load);
  EXPECT_EQ(here.get("alice"), "Alice");
  EXPECT_EQ(here.get("bob"), std::nullopt);
  EXPECT_EQ(there.get("bob"), std::nullopt);
  EXPECT_EQ(there.counters().negative_hits, 1U);
  {
    const auto token = there.will_insert("bob");
    rows["bob"] = "Bob";
  }
  EXPECT_EQ(here.get("bob"), "Bob");
  rows["alice"] = "Alicia";
  there.erased("alice");
  EXPECT_EQ(here.get("alice"), "Alicia");
  server_->end(SIGKILL);
  EXPECT_EQ(here.get("alice"), "Alicia") << "out of the database";
  EXPECT_EQ(here.counters().cache_errors, 1U);
}

}  // namespace
}  // namespace bloomery
