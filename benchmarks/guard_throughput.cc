// SPDX-License-Identifier: Apache-2.0
// guard_throughput [ROUNDS]: what one look-up costs in a guard, in nanoseconds of processor time,
// which other programs on the machine disturb little. For absent keys, hits and misses (with a
// loader that answers at once, so that the guard's own work is what is seen), by 1 and 8 threads.
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <latch>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "bloomery/filter/blocked_filter.h"
#include "bloomery/guard/cache_guard.h"
#include "bloomery/guard/memory_cache.h"
#include "bloomery/place/memory_place.h"

namespace bloomery {
namespace {

constexpr int kRows = 200'000;
constexpr int kHot = 10'000;
constexpr int kCalls = 200'000;  // of all threads together

std::vector<std::string> names(const char* prefix, int count) {
  std::vector<std::string> all;
  for (int i = 0; i < count; ++i) all.push_back(prefix + std::to_string(i));
  return all;
}

double thread_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Nanoseconds a call of work(i).
double measure(int thread_count, const std::function<void(int)>& work) {
  std::atomic<double> seconds = 0;
  std::latch start(thread_count);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < thread_count; ++thread) {
    threads.emplace_back([&, thread] {
      start.arrive_and_wait();
      const double before = thread_seconds();
      for (int i = thread; i < kCalls; i += thread_count) work(i);
      seconds += thread_seconds() - before;
    });
  }
  for (std::thread& each : threads) each.join();
  return seconds * 1e9 / kCalls;
}

struct World {
  World() {
    for (const Key key : rows) users.insert(key);
    users.ready();
    for (int i = 0; i < kHot; ++i) hot_guard.get(rows[i]);
  }

  static Loader<std::string> loader() {
    return [](std::span<const Key> keys) {
      std::vector<std::optional<std::string>> answers(keys.size());
      for (std::size_t i = 0; i < keys.size(); ++i) {
        if (keys[i].starts_with("user")) answers[i] = "somebody";
      }
      return answers;
    };
  }

  const std::vector<std::string> rows = names("user:", kRows);
  const std::vector<std::string> strangers = names("nobody:", kRows);
  MemoryPlace<BlockedFilter> users{
      BlockedFilter({.capacity = kRows, .false_positive_rate = 0.0001})};
  MemoryCache<> hot{{.capacity = 2 * kHot}};
  MemoryCache<> tiny{{.capacity = 1'000}};
  CacheGuard<> hot_guard{users, hot, loader()};
  CacheGuard<> cold_guard{users, tiny, loader()};
};

void run(int rounds) {
  World world;
  std::printf("%-8s %8s %8s\n", "", "1 thread", "8 threads");
  const auto line = [&](const char* label, const std::function<void(int)>& work) {
    std::printf("%-8s", label);
    for (const int threads : {1, 8}) {
      std::vector<double> times;
      for (int i = 0; i < rounds; ++i) times.push_back(measure(threads, work));
      std::ranges::sort(times);
      std::printf(" %8.1f", times[times.size() / 2]);
    }
    std::printf(" ns\n");
  };
  line("absent", [&](int i) { world.hot_guard.get(world.strangers[i]); });
  line("hit", [&](int i) { world.hot_guard.get(world.rows[i % kHot]); });
  line("miss", [&](int i) { world.cold_guard.get(world.rows[i]); });
}

}  // namespace
}  // namespace bloomery

int main(int argc, char** argv) {
  bloomery::run(argc > 1 ? std::max(1, std::atoi(argv[1])) : 5);
}
