// SPDX-License-Identifier: Apache-2.0
#include "cli/demo/stampede.h"

#include <array>
#include <atomic>
#include <exception>
#include <latch>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "bloomery/guard/cache_guard.h"
#include "bloomery/guard/memory_cache.h"
#include "cli/demo/row_lookup.h"
#include "cli/demo/traffic.h"

namespace bloomery::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kThreads = 32;
constexpr const char* kMissing = "a word that nobody has written";

// Rows by the column that has no index.
DatabaseTable by_value(const DatabaseTable& table) {
  return {.path = table.path,
          .table = table.table,
          .column = table.value_column,
          .value_column = table.column,
          .busy_timeout_ms = table.busy_timeout_ms};
}

// All threads call `ask` at the same time.
template <class Ask>
std::chrono::duration<double> all_at_once(Ask ask) {
  std::latch ready(kThreads + 1);
  std::array<std::exception_ptr, kThreads> errors;
  Clock::time_point start;
  {
    std::vector<std::jthread> threads;
    for (std::exception_ptr& error : errors) {
      threads.emplace_back([&] {
        ready.arrive_and_wait();
        try {
          ask();
        } catch (...) {
          error = std::current_exception();
        }
      });
    }
    ready.arrive_and_wait();
    start = Clock::now();
  }
  const std::chrono::duration<double> elapsed = Clock::now() - start;
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
  return elapsed;
}

}  // namespace

Stampede run_stampede(const DatabaseTable& table) {
  Stampede result{.thread_count = kThreads};
  RowLoader loader(by_value(table), {.text = true}, kThreads);
  std::atomic<std::uint64_t> queries = 0;
  const auto load = [&](std::span<const Key> keys) {
    ++queries;
    return loader.load(keys);
  };
  {
    MemoryCache<> cache({.capacity = 1'000});
    result.cache_alone.elapsed = all_at_once([&] {
      const Key key = kMissing;
      CacheAnswer<std::string> cached;
      cache.get_many({&key, 1}, {&cached, 1});
      if (cached.state != Cached::miss) return;
      load({&key, 1});
      cache.put_negative(key, std::chrono::minutes(1));
    });
    result.cache_alone.queries = queries.exchange(0);
  }
  NoFilter none;
  MemoryCache<> cache({.capacity = 1'000});
  CacheGuard<> guard(none, cache, load, {.audit_every = 0});
  result.single_flight.elapsed = all_at_once([&] { guard.get(kMissing); });
  result.single_flight.queries = queries;
  return result;
}

}  // namespace bloomery::cli
