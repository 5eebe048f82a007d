// Rows that are inserted in one process while others look for them: 10,000 races, or as many as
// BLOOMERY_CACHE_RACES says.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "bloomery/cache/redis_cache.h"
#include "tests/store/scratch_folder.h"
#include "tests/support/redis_server.h"
#include "tests/support/run_threads.h"

namespace bloomery {
namespace {

using testing::RedisServer;

// Rows by their keys, visible from their commit on.
class Database {
 public:
  void insert(const std::string& key) {
    const std::lock_guard lock(mutex_);
    rows_.insert(key);
  }
  bool has(Key key) {
    const std::lock_guard lock(mutex_);
    return rows_.contains(key);
  }

 private:
  std::mutex mutex_;
  std::set<std::string, std::less<>> rows_;
};

constexpr std::chrono::minutes kLife{10};
constexpr std::size_t kBatch = 250;

// What a guard does with keys that its cache does not know.
void read_through(Cache<std::string>& cache, Database& database, std::span<const Key> keys) {
  std::vector<CacheAnswer<std::string>> answers(keys.size());
  cache.get_many(keys, answers);
  const std::string value = "row";
  std::vector<CacheEntry<std::string>> entries;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (answers[i].state != Cached::miss) continue;
    const bool is_there = database.has(keys[i]);
    entries.push_back({.key = keys[i],
                       .value = is_there ? &value : nullptr,
                       .ttl = kLife,
                       .ticket = answers[i].ticket});
  }
  cache.put_many(entries);
}

TEST(SharedCacheRaces, NoNegativeEntryOutlivesAnInsertByAnotherProcess) {
  if (!RedisServer::is_installed()) GTEST_SKIP() << "no redis-server here";
  const testing::ScratchFolder folder;
  const RedisServer server(folder.path().string());
  const std::string location = "redis+unix://" + server.socket() + "#users";
  const char* const named = std::getenv("BLOOMERY_CACHE_RACES");
  const std::size_t races = named != nullptr ? std::stoul(named) : 10'000;

  Database database;
  std::atomic<std::size_t> stale = 0;
  std::atomic<std::size_t> negatives = 0;
  // A writer and two readers with clients of their own, as processes have them. Each round is a
  // batch of keys that nobody has seen.
  RedisCache<> caches[]{RedisCache<>(location), RedisCache<>(location), RedisCache<>(location)};
  for (std::size_t round = 0; round * kBatch < races; ++round) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < kBatch; ++i) {
      texts.push_back(std::to_string(round) + "/" + std::to_string(i));
    }
    const std::vector<Key> keys(texts.begin(), texts.end());
    run_threads(3, [&](int thread) {
      if (thread > 0) {
        for (int i = 0; i < 2; ++i) read_through(caches[thread], database, keys);
        return;
      }
      std::vector<CacheAnswer<std::string>> answers(keys.size());
      if (round % 2 == 0) caches[0].get_many(keys, answers);
      for (const std::string& key : texts) database.insert(key);
      caches[0].erase_many(keys);
      // From here on all of them are there, whoever asks.
      for (RedisCache<>& cache : caches) {
        cache.get_many(keys, answers);
        for (const auto& answer : answers) stale += answer.state == Cached::negative ? 1 : 0;
      }
    });
    for (RedisCache<>& cache : caches) {
      std::vector<CacheAnswer<std::string>> answers(keys.size());
      cache.get_many(keys, answers);
      for (const auto& answer : answers) stale += answer.state == Cached::negative ? 1 : 0;
    }
    const std::string stray = "stray" + std::to_string(round);
    const Key key = stray;
    read_through(caches[1], database, {&key, 1});
    CacheAnswer<std::string> answer;
    caches[2].get_many({&key, 1}, {&answer, 1});
    negatives += answer.state == Cached::negative ? 1 : 0;
  }
  EXPECT_EQ(stale, 0U);
  EXPECT_EQ(negatives, (races + kBatch - 1) / kBatch) << "where nobody writes they are kept";
}

}  // namespace
}  // namespace bloomery
