// SPDX-License-Identifier: Apache-2.0
// A cache in a server that processes share: what is written, by whom, and what is refused.

#include "bloomery/cache/redis_cache.h"

#include <gtest/gtest.h>

#include <csignal>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "bloomery/filter/blocked_filter.h"
#include "bloomery/guard/cache_guard.h"
#include "bloomery/place/memory_place.h"
#include "bloomery/redis/client/server_errors.h"
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

void put(Cache<std::string>& cache, Key key, const std::string* value, std::string_view lease) {
  const CacheEntry<std::string> entry{
      .key = key, .value = value, .ttl = kLong, .ticket = 0, .lease = lease};
  cache.put_many({&entry, 1});
}

TEST_F(SharedCache, KeepsValuesAndThatThereIsNone) {
  RedisCache<> one(at());
  RedisCache<> other(at());
  const std::string bytes("\0V\r\n\xff", 5);
  one.put("a", bytes, kLong);
  one.put("", "", kLong);
  put(one, "none", nullptr, get(one, "none").lease);
  EXPECT_EQ(get(other, "a").state, Cached::hit);
  EXPECT_EQ(get(other, "a").value, bytes);
  EXPECT_EQ(get(other, "").value, "");
  EXPECT_EQ(get(other, "none").state, Cached::negative);
  other.erase("a");
  EXPECT_EQ(get(one, "a").state, Cached::miss);
  // A value that looks like an entry of ours is a value.
  one.put("a", "N", kLong);
  EXPECT_EQ(get(one, "a").value, "N");
  one.put_negative("a", kLong);
  EXPECT_EQ(get(one, "a").value, "N") << "a value that came meanwhile is newer";
  one.put_negative("b", kLong);
  EXPECT_EQ(get(one, "b").state, Cached::negative);
}

TEST_F(SharedCache, OneOfAllHasTheLeaseOfAMiss) {
  RedisCache<> one(at());
  RedisCache<> other(at());
  const auto mine = get(one, "k");
  ASSERT_EQ(mine.state, Cached::miss);
  EXPECT_EQ(mine.lease.size(), 48U);
  EXPECT_EQ(get(other, "k").state, Cached::awaited);
  CacheAnswer<std::string> again;
  const Key key = "k";
  other.claim_many({&key, 1}, {&again, 1});
  EXPECT_EQ(again.state, Cached::awaited);
  const CacheEntry<std::string> mine_back{.key = key, .lease = mine.lease};
  one.drop_many({&mine_back, 1});
  other.claim_many({&key, 1}, {&again, 1});
  EXPECT_EQ(again.state, Cached::miss);
  EXPECT_NE(again.lease, mine.lease);
  const std::string value = "v";
  put(one, "k", &value, mine.lease);
  EXPECT_EQ(get(one, "k").state, Cached::awaited) << "too late";
  put(other, "k", &value, again.lease);
  EXPECT_EQ(get(one, "k").value, "v");
}

TEST_F(SharedCache, RefusesWhatWasLearntBeforeAnEraseByAnotherProcess) {
  RedisCache<> reader(at());
  RedisCache<> writer(at());
  const std::string old = "old";
  const auto before = get(reader, "k");
  writer.erase("k");
  put(reader, "k", nullptr, before.lease);
  put(reader, "k", &old, before.lease);
  const auto after = get(writer, "k");
  EXPECT_EQ(after.state, Cached::miss);
  put(reader, "k", &old, after.lease);
  EXPECT_EQ(get(writer, "k").value, "old");
  // A lease that was lost comes back as another.
  const auto lost = get(reader, "other");
  server_->ask("FLUSHALL");
  put(reader, "other", &old, lost.lease);
  EXPECT_EQ(get(reader, "other").state, Cached::miss);
}

TEST_F(SharedCache, AnInsertThatIsAnnouncedLeavesNothingBehindIt) {
  RedisCache<> reader(at(), {.lease_life = std::chrono::minutes(1)});
  RedisCache<> writer(at());
  const Key key = "bob";
  put(reader, key, nullptr, get(reader, key).lease);
  ASSERT_EQ(get(reader, key).state, Cached::negative);
  const Identity insert = Identity::random();
  EXPECT_FALSE(writer.announce_many({&key, 1}, insert)) << "it is new";
  EXPECT_TRUE(writer.announce_many({&key, 1}, insert));
  EXPECT_EQ(get(reader, key).state, Cached::unknown) << "nobody may write";
  reader.put("bob", "Bob", kLong);
  EXPECT_EQ(get(reader, key).state, Cached::unknown);
  writer.erase("bob");
  EXPECT_EQ(get(reader, key).state, Cached::unknown) << "of the marks its own only";
  writer.end_insert_many({&key, 1}, insert);
  EXPECT_EQ(get(reader, key).state, Cached::miss);
}

TEST_F(SharedCache, ABatchIsOneTripEachWay) {
  RedisCache<> cache(at());
  std::vector<std::string> texts;
  for (int i = 0; i < 2'000; ++i) texts.push_back("key" + std::to_string(i));
  const std::vector<Key> keys(texts.begin(), texts.end());
  std::vector<CacheAnswer<std::string>> answers(keys.size());
  cache.erase("so that the server has the script");
  server_->ask("CONFIG RESETSTAT");
  cache.get_many(keys, answers);
  EXPECT_EQ(calls("exec"), 1) << "what is there";
  EXPECT_EQ(calls("evalsha"), 2) << "leases, of 1,000 keys";
  std::vector<CacheEntry<std::string>> entries;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    entries.push_back({.key = keys[i],
                       .value = i % 2 == 0 ? &texts[i] : nullptr,
                       .ttl = kLong,
                       .lease = answers[i].lease});
  }
  cache.put_many(entries);
  EXPECT_EQ(calls("evalsha"), 4);
  server_->ask("CONFIG RESETSTAT");
  cache.get_many(keys, answers);
  EXPECT_EQ(calls("exec"), 1);
  EXPECT_EQ(calls("evalsha"), 0);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    ASSERT_EQ(answers[i].state, i % 2 == 0 ? Cached::hit : Cached::negative) << i;
    ASSERT_EQ(answers[i].value.value_or(texts[i]), texts[i]);
  }
  cache.erase_many(keys);
  EXPECT_EQ(calls("evalsha"), 2);
  cache.get_many(keys, answers);
  for (const auto& each : answers) ASSERT_EQ(each.state, Cached::miss);
}

TEST_F(SharedCache, EntriesAndLeasesExpire) {
  RedisCache<> lasting(at());
  RedisCache<> cache(at(), {.lease_life = milliseconds(1)});
  const SharedStrings names(at());
  lasting.put("long", "v", milliseconds::max());
  cache.get_many({}, {});
  EXPECT_GT(std::stoll(server_->ask("PTTL '" + names.entry_name("long") + "'")), kLong.count());
  EXPECT_EQ(get(cache, "k").state, Cached::miss);
  while (get(cache, "k").state == Cached::awaited) std::this_thread::yield();
  EXPECT_FALSE(get(cache, "other").lease.empty());
  EXPECT_THROW(RedisCache<>(at(), {.lease_life = milliseconds(0)}), std::invalid_argument);
  EXPECT_THROW(RedisCache<>(at(), {.mark_life = milliseconds::max()}), std::invalid_argument);
}

TEST_F(SharedCache, AValueWhoseMomentHasComeIsForOneToLoadAnew) {
  RedisCache<> cache(at());
  const SharedStrings names(at());
  const std::string value = "old";
  const CacheEntry<std::string> entry{
      .key = "k", .value = &value, .ttl = kLong, .refresh_after = milliseconds(1)};
  cache.put_many({&entry, 1});
  CacheAnswer<std::string> due;
  while (due.lease.empty()) {
    due = get(cache, "k");
    ASSERT_EQ(due.value, "old");
  }
  EXPECT_EQ(get(cache, "k").value, "old");
  EXPECT_TRUE(get(cache, "k").lease.empty()) << "nobody else";
  const std::string next = "new";
  put(cache, "k", &next, due.lease);
  EXPECT_EQ(get(cache, "k").value, "new");
}

TEST_F(SharedCache, BehindAFenceItHasValuesAlone) {
  RedisCache<> cache(at());
  cache.put("k", "v", kLong);
  cache.put_negative("none", kLong);
  const Fence fence{.at_least = {.source = Identity::random(), .position = 1}};
  const CallContext behind{.fence = &fence};
  const std::vector<Key> keys{"k", "none", "new"};
  std::vector<CacheAnswer<std::string>> answers(keys.size());
  cache.get_many(keys, answers, behind);
  EXPECT_EQ(answers[0].value, "v");
  EXPECT_EQ(answers[1].state, Cached::unknown);
  EXPECT_EQ(answers[2].state, Cached::unknown);
  EXPECT_EQ(get(cache, "new").state, Cached::miss) << "nobody has a lease";
}

TEST_F(SharedCache, WhatIsNoEntryIsNone) {
  RedisCache<> cache(at());
  const SharedStrings names(at());
  const std::string entry = "'" + names.entry_name("k") + "'";
  for (const char* bytes : {"''", "X", "NN", "V", "V000000000000", "V00000000000x1y", "n"}) {
    server_->ask("SET " + entry + " " + bytes);
    EXPECT_EQ(get(cache, "k").state, Cached::miss) << bytes;
    cache.erase("k");
  }
  server_->ask("SET " + entry + " V0000000000000");
  EXPECT_EQ(get(cache, "k").value, "");
  server_->ask("DEL " + entry);
  server_->ask("HSET " + entry + " a b");
  const auto other_type = get(cache, "k");
  EXPECT_EQ(other_type.state, Cached::miss);
  const std::string value = "v";
  put(cache, "k", &value, other_type.lease);
  EXPECT_EQ(get(cache, "k").value, "v");
  EXPECT_THROW(RedisCache<>("redis://h?bits=3#users"), std::invalid_argument);
  EXPECT_THROW(RedisCache<>("redis://h?replica=1#users"), std::invalid_argument);
  EXPECT_THROW(RedisCache<>("redis://h#a{b}"), std::invalid_argument);
}

TEST_F(SharedCache, AServerWithoutMemorySaysWhatItHas) {
  RedisCache<> cache(at());
  cache.put("k", "v", kLong);
  const auto leased = get(cache, "other");
  server_->ask("CONFIG SET maxmemory 1");
  EXPECT_EQ(get(cache, "k").value, "v");
  EXPECT_EQ(get(cache, "new").state, Cached::unknown) << "nothing can be written";
  const std::string value = "v";
  EXPECT_THROW(put(cache, "other", &value, leased.lease), redis::RefusedError);
  cache.erase("k");
  server_->ask("CONFIG SET maxmemory 0");
  EXPECT_EQ(get(cache, "k").state, Cached::miss);
  EXPECT_EQ(get(cache, "other").state, Cached::miss) << "its lease has ended all the same";
}

// Processes of versions that kept shards use `users` on, and a writer of this one `rows`.
TEST_F(SharedCache, WhileOldProcessesRunWritersEraseBoth) {
  const std::string rows = at("?was=users").substr(0, at("?was=users").find('#')) + "#rows";
  RedisCache<> writer(rows);
  EXPECT_EQ(get(writer, "alice").state, Cached::unknown);
  writer.put("alice", "v", kLong);
  EXPECT_EQ(server_->ask("KEYS *"), "\n") << "it reads and writes nothing";
  writer.erase("alice");
  std::string name = server_->ask("KEYS users:*:generation");
  name.pop_back();
  const std::string entry = name.substr(0, name.rfind("generation")) + "=alice";
  const std::string before = server_->ask("GET '" + name + "'");
  ASSERT_EQ(before.size(), 17U);
  server_->ask("SET '" + entry + "' Vold");
  const Key key = "alice";
  writer.end_insert_many({&key, 1}, Identity::random());
  EXPECT_EQ(server_->ask("EXISTS '" + entry + "'"), "0\n");
  EXPECT_NE(server_->ask("GET '" + name + "'"), before);
  EXPECT_THROW(RedisCache<>(at("?was=a{b}")), std::invalid_argument);
  EXPECT_THROW(RedisCache<>(at("?was=")), std::invalid_argument);
  EXPECT_THROW(RedisCache<>(at("?was=" + at().substr(at().find('#') + 1))), std::invalid_argument);
}

TEST_F(SharedCache, AReplicaIsNotBelieved) {
  RedisCache<> cache(at());
  put(cache, "none", nullptr, get(cache, "none").lease);
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
  EXPECT_EQ(get<Row>(cache, "b").state, Cached::awaited) << "its bytes are gone";
}

// A codec of JSON: what becomes "null" is no value for other languages.
TEST_F(SharedCache, AValueThatCannotBeEncodedIsNotWrittenAndItsLeaseIsGivenBack) {
  RedisCache<std::string> cache(at(), {.encode =
                                           [](const std::string& text) {
                                             if (text == "null") throw std::domain_error("null");
                                             return text;
                                           },
                                       .decode = bytes_as_they_are().decode});
  const std::string null = "null";
  const std::string row = "row";
  const std::string leases[] = {get(cache, "a").lease, get(cache, "b").lease,
                                get(cache, "c").lease};
  const CacheEntry<std::string> entries[] = {
      {.key = "a", .value = &row, .ttl = kLong, .lease = leases[0]},
      {.key = "b", .value = &null, .ttl = kLong, .lease = leases[1]},
      {.key = "c", .value = &row, .ttl = kLong, .lease = leases[2]}};
  EXPECT_THROW(cache.put_many(entries), std::domain_error);
  EXPECT_EQ(get(cache, "a").value, "row");
  EXPECT_EQ(get(cache, "b").state, Cached::miss) << "for the next one to load";
  EXPECT_EQ(get(cache, "c").value, "row");
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
