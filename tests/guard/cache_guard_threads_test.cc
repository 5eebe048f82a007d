// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/guard/fakes.h"
#include "tests/support/run_threads.h"

namespace bloomery {
namespace {

constexpr int kThreads = 8;

TEST(CacheGuardThreads, OneQueryForAKeyHoweverManyAskAtOnce) {
  World world;
  for (int round = 0; round < 50; ++round) {
    const std::string there = "row " + std::to_string(round);
    const std::string not_there = "no row " + std::to_string(round);
    world.add(there, there);
    world.filter.mistake(not_there);
    run_threads(kThreads, [&](int thread) {
      const std::array<Key, 2> keys{there, not_there};
      if (thread % 2 == 0) {
        EXPECT_EQ(world.guard.get(keys[0]), there);
        EXPECT_EQ(world.guard.get(keys[1]), std::nullopt);
      } else {
        const auto answers = world.guard.get_many(keys);
        EXPECT_EQ(answers[0], there);
        EXPECT_EQ(answers[1], std::nullopt);
      }
    });
    EXPECT_EQ(world.database.queries_for(there), 1);
    EXPECT_EQ(world.database.queries_for(not_there), 1);
  }
  const GuardCounters counters = world.guard.counters();
  EXPECT_EQ(counters.requests(), 50U * kThreads * 2);
  EXPECT_EQ(counters.found, 50U);
  EXPECT_EQ(counters.not_found, 50U);
  EXPECT_EQ(counters.false_positives, 50U);
  EXPECT_EQ(counters.keys_loaded, 100U);
}

// All have missed the cache before the query ends: they share its answer or its failure.
TEST(CacheGuardThreads, AllWhoAskedMeanwhileShareOneFailure) {
  World world;
  // Held here too, so that the exception object outlives the threads.
  const auto error = std::make_exception_ptr(std::out_of_range("no connection"));
  world.database.after_read = [&] {
    while (world.cache.batches < kThreads) std::this_thread::yield();
    std::rethrow_exception(error);
  };
  std::atomic<int> failures = 0;
  run_threads(kThreads, [&](int) {
    try {
      world.guard.get("alice");
    } catch (const std::out_of_range&) {
      ++failures;
    }
  });
  EXPECT_EQ(failures, kThreads);
  const GuardCounters counters = world.guard.counters();
  EXPECT_EQ(counters.failed, kThreads);
  EXPECT_EQ(counters.loader_errors, counters.database_queries);
  EXPECT_EQ(world.cache.writes, 0);
}

TEST(CacheGuardThreads, BatchesThatOverlapInAnyOrderAllEnd) {
  World world;
  std::vector<std::string> names;
  for (int i = 0; i < 12; ++i) {
    names.push_back("row " + std::to_string(i));
    world.add(names.back(), names.back());
  }
  run_threads(kThreads, [&](int thread) {
    for (int round = 0; round < 100; ++round) {
      std::vector<Key> keys;
      for (int i = 0; i < 6; ++i) keys.push_back(names[(thread * 5 + round + i * 7) % 12]);
      const auto answers = world.guard.get_many(keys);
      for (std::size_t i = 0; i < keys.size(); ++i) EXPECT_EQ(answers[i], keys[i]);
      world.guard.erased(keys[0]);
    }
  });
  EXPECT_EQ(world.guard.counters().requests(), kThreads * 100U * 6);
}

// Writers count their own rows upwards; once a write is announced as done, nobody may read less.
TEST(CacheGuardThreads, NobodyReadsWhatWasReplacedBefore) {
  World world;
  world.cache.after_get = [] { std::this_thread::yield(); };  // late replies
  world.cache.before_erase = [] { std::this_thread::yield(); };
  constexpr int kRows = 4;
  std::array<std::atomic<int>, kRows> done{};
  for (int row = 0; row < kRows; ++row) world.add(std::to_string(row), "0");
  run_threads(kThreads, [&](int thread) {
    for (int i = 1; i <= 200; ++i) {
      if (thread < kRows) {
        const std::string key = std::to_string(thread);
        world.database.write(key, std::to_string(i));
        world.guard.erased(key);
        done[thread] = i;
      }
      const int row = (thread + i) % kRows;
      const int at_least = done[row];
      const auto value = world.guard.get(std::to_string(row));
      ASSERT_TRUE(value.has_value());
      EXPECT_GE(std::stoi(*value), at_least);
    }
  });
}

// Readers hammer keys that do not exist yet, in a filter full of mistakes; who has inserted a row
// must find it, at once and for ever.
TEST(CacheGuardThreads, AnInsertedRowIsNeverDenied) {
  World world;
  world.cache.after_get = [] { std::this_thread::yield(); };  // late replies
  world.cache.before_erase = [] { std::this_thread::yield(); };
  constexpr int kRows = 100;
  std::array<std::atomic<bool>, kRows> inserted{};
  for (int row = 0; row < kRows; ++row) world.filter.mistake(std::to_string(row));
  run_threads(kThreads, [&](int thread) {
    for (int i = 0; i < kRows; ++i) {
      const std::string key = std::to_string(i);
      if (i % kThreads == thread) {
        {
          const InsertToken token = world.guard.will_insert(key);
          world.guard.get(key);
          world.database.write(key, "x");
        }
        inserted[i] = true;
        EXPECT_TRUE(world.guard.get(key)) << key;
      }
      for (int ahead = i; ahead < std::min(i + 10, kRows); ++ahead) {
        const bool must_be_there = inserted[ahead];
        EXPECT_TRUE(world.guard.get(std::to_string(ahead)) || !must_be_there) << ahead;
      }
    }
  });
}

TEST(CacheGuardThreads, EveryRequestIsCountedOnceWhateverFails) {
  World world({.queries_at_once = 1,
               .query_wait = std::chrono::milliseconds(0),
               .audit_every = 0,
               .jitter_seed = 1});
  std::atomic<int> reads = 0;
  world.database.after_read = [&] {
    if (++reads % 5 == 0) throw std::runtime_error("no connection");
  };
  std::atomic<std::uint64_t> asked = 0;
  std::atomic<std::uint64_t> refused = 0;
  run_threads(kThreads, [&](int thread) {
    for (int i = 0; i < 150; ++i) {
      world.filter.throws = i % 3 == 0;
      world.cache.throws = i % 7 == 0;
      const std::string key = std::to_string((thread + i) % 50);
      if (i % 10 == 1) world.filter.mistake(key);
      ++asked;
      try {
        world.guard.get(key);
      } catch (const std::runtime_error&) {  // of the loader, or GuardOverloaded
        ++refused;
      }
    }
  });
  const GuardCounters counters = world.guard.counters();
  EXPECT_EQ(counters.requests(), asked);
  EXPECT_EQ(counters.shed + counters.failed + counters.aborted, refused);
  EXPECT_EQ(counters.found + counters.not_found + counters.loader_errors, counters.keys_loaded);
  EXPECT_EQ(counters.aborted, 0U);
}

}  // namespace
}  // namespace bloomery
