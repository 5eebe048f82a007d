// SPDX-License-Identifier: Apache-2.0
// Rows that are inserted in one process while two others look for them: 10,000 races, in a long run
// 100,000.

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "bloomery/cache/redis_cache.h"
#include "tests/store/scratch_folder.h"
#include "tests/support/redis_server.h"

namespace bloomery {
namespace {

using testing::RedisServer;

constexpr std::chrono::minutes kLife{10};
constexpr std::size_t kBatch = 20;
constexpr unsigned kReaders = 2;

// State that the processes share, besides the cache: the rows, each visible from its commit on, and
// where the processes wait for each other.
class Races {
 public:
  explicit Races(std::size_t count)
      : count_(count),
        rows_(new (map(count)) std::atomic<bool>[count]),
        together_(new (map(sizeof(pthread_barrier_t))) pthread_barrier_t) {
    pthread_barrierattr_t attributes;
    pthread_barrierattr_init(&attributes);
    pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(together_, &attributes, kReaders + 1);
  }

  std::size_t rounds() const { return count_ / kBatch; }
  std::atomic<bool>& row(std::size_t round, std::size_t i) { return rows_[round * kBatch + i]; }
  void wait_for_all() { pthread_barrier_wait(together_); }

 private:
  static void* map(std::size_t bytes) {
    void* const memory =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    return memory;
  }

  const std::size_t count_;
  std::atomic<bool>* const rows_;
  pthread_barrier_t* const together_;
};

// Keys of a round, which nobody has seen before.
struct Batch {
  explicit Batch(std::size_t round) {
    for (std::size_t i = 0; i < kBatch; ++i) {
      texts.push_back(std::to_string(round) + "/" + std::to_string(i));
    }
    keys.assign(texts.begin(), texts.end());
  }
  std::vector<std::string> texts{};
  std::vector<Key> keys{};
};

std::size_t count_negatives(RedisCache<>& cache, std::span<const Key> keys) {
  std::vector<CacheAnswer<std::string>> answers(keys.size());
  cache.get_many(keys, answers);
  return static_cast<std::size_t>(
      std::ranges::count(answers, Cached::negative, &CacheAnswer<std::string>::state));
}

// Does what a guard does with keys that its cache does not know.
template <class HasRow>
void read_through(RedisCache<>& cache, std::span<const Key> keys, HasRow has_row) {
  std::vector<CacheAnswer<std::string>> answers(keys.size());
  cache.get_many(keys, answers);
  const std::string value = "row";
  std::vector<CacheEntry<std::string>> entries;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (answers[i].state != Cached::miss) continue;
    // One of two readers has the lease.
    entries.push_back({.key = keys[i],
                       .value = has_row(i) ? &value : nullptr,
                       .ttl = kLife,
                       .lease = answers[i].lease});
  }
  cache.put_many(entries);
}

// Ends with 0 if no row was denied by then.
void read(Races& races, const std::string& location) {
  RedisCache<> cache(location);
  std::size_t stale = 0;
  for (std::size_t round = 0; round < races.rounds(); ++round) {
    const Batch batch(round);
    races.wait_for_all();
    for (int i = 0; i < 2; ++i) {
      read_through(cache, batch.keys, [&](std::size_t k) { return races.row(round, k).load(); });
    }
    races.wait_for_all();
    stale += count_negatives(cache, batch.keys);
  }
  if (stale > 0) fprintf(stderr, "a reader was told of %zu rows that they are not there\n", stale);
  _exit(stale == 0 ? 0 : 1);
}

std::size_t race_count() {
  return std::getenv("BLOOMERY_LONG") != nullptr ? 100'000 : 10'000;
}

TEST(SharedCacheRaces, NoNegativeEntryOutlivesAnInsertByAnotherProcess) {
  if (!RedisServer::is_installed()) GTEST_SKIP() << "no redis-server here";
  const testing::ScratchFolder folder;
  const RedisServer server(folder.path().string());
  const std::string location = "redis+unix://" + server.socket() + "#users";
  alarm(300);  // ends one that waits for ever
  Races races(race_count());
  std::array<pid_t, kReaders> readers{};
  for (pid_t& reader : readers) {
    reader = fork();
    if (reader != 0) continue;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    try {
      read(races, location);
    } catch (const std::exception& error) {
      fprintf(stderr, "a reader: %s\n", error.what());
    }
    _exit(2);
  }

  RedisCache<> cache(location);
  RedisCache<> other(location);
  std::size_t stale = 0;
  std::size_t negatives = 0;
  for (std::size_t round = 0; round < races.rounds(); ++round) {
    const Batch batch(round);
    races.wait_for_all();
    if (round % 2 == 0) count_negatives(cache, batch.keys);
    for (std::size_t i = 0; i < kBatch; ++i) races.row(round, i) = true;
    cache.erase_many(batch.keys);
    // The keys are all there from here on, whoever asks.
    stale += count_negatives(cache, batch.keys) + count_negatives(other, batch.keys);
    races.wait_for_all();
    stale += count_negatives(cache, batch.keys);
    const std::string stray = "stray" + std::to_string(round);
    const Key key = stray;
    read_through(cache, {&key, 1}, [](std::size_t) { return false; });
    negatives += count_negatives(other, {&key, 1});
  }
  EXPECT_EQ(stale, 0U);
  EXPECT_EQ(negatives, races.rounds()) << "where nobody writes they are kept";
  for (const pid_t reader : readers) {
    int status = -1;
    EXPECT_EQ(waitpid(reader, &status, 0), reader);
    EXPECT_EQ(status, 0);
  }
  alarm(0);
}

}  // namespace
}  // namespace bloomery
