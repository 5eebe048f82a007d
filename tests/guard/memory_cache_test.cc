// SPDX-License-Identifier: Apache-2.0
#include "bloomery/guard/memory_cache.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>

#include "tests/guard/fake_clock.h"
#include "tests/support/run_threads.h"

namespace bloomery {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

template <class Value>
CacheAnswer<Value> get(MemoryCache<Value>& cache, Key key) {
  CacheAnswer<Value> answer;
  cache.get_many({&key, 1}, {&answer, 1});
  return answer;
}

class MemoryCacheTest : public testing::Test {
 protected:
  FakeClock clock;
  MemoryCache<std::string> cache{{.capacity = 3, .now = clock.function()}};
};

TEST_F(MemoryCacheTest, TellsValueNegativeAndNothingApart) {
  cache.put("a", "1", seconds(1));
  cache.put("empty", "", seconds(1));
  cache.put_negative("b", seconds(1));
  EXPECT_EQ(get(cache, "a").state, Cached::hit);
  EXPECT_EQ(get(cache, "a").value, "1");
  EXPECT_EQ(get(cache, "empty").state, Cached::hit);
  EXPECT_EQ(get(cache, "empty").value, "");
  EXPECT_EQ(get(cache, "b").state, Cached::negative);
  EXPECT_EQ(get(cache, "c").state, Cached::miss);
}

TEST_F(MemoryCacheTest, AnswersABatchInOrder) {
  cache.put("a", "1", seconds(1));
  cache.put_negative("b", seconds(1));
  const std::array<Key, 4> keys{"b", "x", "a", "b"};
  std::array<CacheAnswer<std::string>, 4> answers;
  cache.get_many(keys, answers);
  EXPECT_EQ(answers[0].state, Cached::negative);
  EXPECT_EQ(answers[1].state, Cached::miss);
  EXPECT_EQ(answers[2].value, "1");
  EXPECT_EQ(answers[3].state, Cached::negative);
}

TEST_F(MemoryCacheTest, EntriesExpireEachInItsTime) {
  cache.put("a", "1", seconds(10));
  cache.put_negative("b", seconds(5));
  clock.advance(milliseconds(4'999));
  EXPECT_EQ(get(cache, "b").state, Cached::negative);
  clock.advance(milliseconds(1));
  EXPECT_EQ(get(cache, "b").state, Cached::miss);
  EXPECT_EQ(get(cache, "a").state, Cached::hit);
  clock.advance(seconds(5));
  EXPECT_EQ(get(cache, "a").state, Cached::miss);
  EXPECT_EQ(cache.size(), 0U);
}

TEST_F(MemoryCacheTest, WritingAgainStartsItsTimeAnew) {
  cache.put("a", "1", seconds(10));
  clock.advance(seconds(9));
  cache.put("a", "2", seconds(10));
  clock.advance(seconds(9));
  EXPECT_EQ(get(cache, "a").value, "2");
}

TEST_F(MemoryCacheTest, ATimeWithoutEndIsNoOverflow) {
  cache.put("a", "1", milliseconds::max());
  clock.advance(std::chrono::hours(24 * 365 * 100));
  EXPECT_EQ(get(cache, "a").value, "1");
}

TEST_F(MemoryCacheTest, ANegativeEntryReplacesNothingThatLives) {
  cache.put("a", "1", seconds(10));
  cache.put_negative("a", seconds(60));
  EXPECT_EQ(get(cache, "a").value, "1");
  clock.advance(seconds(10));
  cache.put_negative("a", seconds(60));
  EXPECT_EQ(get(cache, "a").state, Cached::negative);
}

TEST_F(MemoryCacheTest, AValueReplacesANegativeEntry) {
  cache.put_negative("a", seconds(60));
  cache.put("a", "1", seconds(60));
  EXPECT_EQ(get(cache, "a").value, "1");
  EXPECT_EQ(cache.size(), 1U);
}

TEST_F(MemoryCacheTest, ErasesValuesAndNegativeEntries) {
  cache.put("a", "1", seconds(1));
  cache.put_negative("b", seconds(1));
  cache.erase("a");
  cache.erase("b");
  cache.erase("never there");
  EXPECT_EQ(get(cache, "a").state, Cached::miss);
  EXPECT_EQ(get(cache, "b").state, Cached::miss);
}

TEST_F(MemoryCacheTest, WhenFullTheLeastRecentlyUsedGoes) {
  cache.put("a", "1", seconds(60));
  cache.put("b", "2", seconds(60));
  cache.put_negative("c", seconds(60));
  EXPECT_EQ(get(cache, "a").state, Cached::hit);
  cache.put("d", "4", seconds(60));
  EXPECT_EQ(get(cache, "b").state, Cached::miss);
  EXPECT_EQ(get(cache, "a").state, Cached::hit);
  EXPECT_EQ(get(cache, "c").state, Cached::negative);
  EXPECT_EQ(get(cache, "d").state, Cached::hit);
  EXPECT_EQ(cache.size(), 3U);
}

TEST_F(MemoryCacheTest, AnEntryWithATicketFromBeforeAnEraseIsLeftOut) {
  const std::string value = "1";
  for (const std::string* const written : {&value, static_cast<const std::string*>(nullptr)}) {
    CacheEntry<std::string> entry{.key = "a", .value = written, .ttl = seconds(1)};
    entry.ticket = get(cache, "a").ticket;
    cache.erase("a");
    cache.put_many({&entry, 1});
    EXPECT_EQ(get(cache, "a").state, Cached::miss);
    entry.ticket = get(cache, "a").ticket;
    cache.put_many({&entry, 1});
    EXPECT_NE(get(cache, "a").state, Cached::miss);
    cache.erase("a");
  }
}

TEST_F(MemoryCacheTest, TakesAnyBytesAsAKey) {
  const std::string binary("a\0b\xff", 4);
  cache.put(binary, "binary", seconds(1));
  cache.put("", "empty", seconds(1));
  EXPECT_EQ(get(cache, binary).value, "binary");
  EXPECT_EQ(get(cache, "").value, "empty");
  EXPECT_EQ(get(cache, "a").state, Cached::miss);
}

TEST(MemoryCache, NeverHoldsMoreThanItsCapacity) {
  for (const std::size_t capacity : {1U, 2U, 63U, 1'000U, 4'097U}) {
    MemoryCache<int> cache({.capacity = capacity});
    for (int i = 0; i < 10'000; ++i) cache.put(std::to_string(i), i, seconds(60));
    // Far more keys than places: every shard is full to its share, and the shares are all.
    EXPECT_EQ(cache.size(), capacity);
    EXPECT_EQ(get(cache, "9999").value, 9'999);
  }
}

TEST(MemoryCache, RefusesOptionsThatMakeNoSense) {
  using Cache = MemoryCache<int>;
  EXPECT_THROW(Cache({.capacity = 0}), std::invalid_argument);
  EXPECT_THROW(Cache({.capacity = 1, .shard_count = 0}), std::invalid_argument);
  EXPECT_THROW(Cache({.capacity = 1, .shard_count = 4'097}), std::invalid_argument);
  EXPECT_THROW(Cache({.capacity = 1, .now = nullptr}), std::invalid_argument);
  EXPECT_THROW(Cache({.capacity = 1, .negative_share = -0.1}), std::invalid_argument);
  EXPECT_THROW(Cache({.capacity = 1, .negative_share = 1.1}), std::invalid_argument);
}

// 1,500 rows that everybody wants, in room for 2,000 entries, and ten strangers' keys for
// each of them, twice.
TEST(MemoryCache, AFloodOfNegativeEntriesDrivesOutNoValues) {
  MemoryCache<int> cache({.capacity = 2'000, .shard_count = 1});
  int stranger = 0;
  int hits = 0;
  for (int round = 0; round < 2; ++round) {
    hits = 0;
    for (int row = 0; row < 1'500; ++row) {
      const std::string key = "row " + std::to_string(row);
      if (get(cache, key).state == Cached::hit)
        ++hits;
      else
        cache.put(key, row, seconds(60));
      for (int i = 0; i < 10; ++i) cache.put_negative(std::to_string(++stranger), seconds(60));
    }
  }
  EXPECT_EQ(hits, 1'500);
  EXPECT_EQ(get(cache, std::to_string(stranger)).state, Cached::negative);
  EXPECT_LE(cache.size(), 2'000U);
}

TEST(MemoryCache, ValuesMayHaveAllTheRoom) {
  MemoryCache<int> cache({.capacity = 100, .shard_count = 1});
  for (int i = 0; i < 50; ++i) cache.put_negative("no " + std::to_string(i), seconds(60));
  EXPECT_EQ(cache.size(), 12U);
  for (int i = 0; i < 88; ++i) cache.put(std::to_string(i), i, seconds(60));
  EXPECT_EQ(cache.size(), 100U);
  EXPECT_EQ(get(cache, "0").value, 0);
  MemoryCache<int> none({.capacity = 100, .negative_share = 0});
  none.put_negative("a", seconds(60));
  EXPECT_EQ(none.size(), 0U);
}

// Copying asks the cache, from another thread: it would wait for ever for a lock that is held.
struct SlowToCopy {
  SlowToCopy() = default;
  SlowToCopy(const SlowToCopy&) { run(while_copied); }
  SlowToCopy& operator=(const SlowToCopy&) = default;

  static void run(const std::function<void()>& hook) {
    if (hook) hook();
  }
  static inline std::function<void()> while_copied;
};

TEST(MemoryCache, ValuesAreCopiedOutsideOfTheLocks) {
  MemoryCache<SlowToCopy> cache({.capacity = 10});
  const SlowToCopy value;
  int copies = 0;
  SlowToCopy::while_copied = [&] {
    ++copies;
    std::thread([&] { cache.erase("another"); }).join();
  };
  cache.put("a", value, seconds(60));
  EXPECT_EQ(get(cache, "a").state, Cached::hit);
  SlowToCopy::while_copied = nullptr;
  EXPECT_GE(copies, 2);
}

TEST(MemoryCache, ACapacityBeyondMemoryCostsNothingBeforeItIsUsed) {
  MemoryCache<int> cache({.capacity = SIZE_MAX});
  cache.put("a", 1, seconds(1));
  EXPECT_EQ(get(cache, "a").value, 1);
}

// Each value tells its key, so an answer of another key's entry would show.
TEST(MemoryCache, ServesManyThreadsAtOnce) {
  MemoryCache<std::string> cache({.capacity = 200});
  run_threads(4, [&](int thread) {
    for (int i = 0; i < 2'000; ++i) {
      const std::string key = std::to_string((i * 7 + thread) % 400);
      const CacheAnswer<std::string> answer = get(cache, key);
      if (answer.state == Cached::hit) {
        EXPECT_EQ(answer.value, key);
      }
      if (i % 5 == 0) cache.erase(key);
      if (i % 3 == 0) cache.put_negative(key, seconds(60));
      if (i % 3 == 1) cache.put(key, key, seconds(60));
    }
  });
  EXPECT_LE(cache.size(), 200U);
  EXPECT_GT(cache.size(), 0U);
}

}  // namespace
}  // namespace bloomery
