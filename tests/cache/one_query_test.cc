// SPDX-License-Identifier: Apache-2.0
// Many callers in many processes that miss one key together.

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "bloomery/cache/redis_cache.h"
#include "bloomery/filter/blocked_filter.h"
#include "bloomery/guard/cache_guard.h"
#include "bloomery/place/memory_place.h"
#include "tests/store/scratch_folder.h"
#include "tests/support/redis_server.h"
#include "tests/support/run_threads.h"

namespace bloomery {
namespace {

using testing::RedisServer;

constexpr int kProcesses = 10;
constexpr int kThreads = 32;
constexpr int kCallers = kProcesses * kThreads;
constexpr int kKeys = 5;

// Counts that the processes share, of each key.
struct Counts {
  std::atomic<int> askers;
  std::atomic<int> queries;
  std::atomic<int> answers;
};

struct Unmap {
  void operator()(Counts* counts) const noexcept { munmap(counts, kKeys * sizeof(Counts)); }
};

std::unique_ptr<Counts[], Unmap> shared_counts() {
  void* const memory = mmap(nullptr, kKeys * sizeof(Counts), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return std::unique_ptr<Counts[], Unmap>(new (memory) Counts[kKeys]());
}

// Asks for each key when all callers of all processes do.
void ask(Counts* counts, const std::string& location) {
  RedisCache<> cache(location, {.lease_life = std::chrono::minutes(1)});
  MemoryPlace filter(BlockedFilter({.capacity = 100, .false_positive_rate = 0.01}));
  const Loader<std::string> load = [counts](std::span<const Key> keys) {
    Counts& of_key = counts[std::stoi(std::string(keys[0]))];
    ++of_key.queries;
    while (of_key.askers < kCallers) std::this_thread::yield();
    return std::vector<std::optional<std::string>>(keys.size(), "row");
  };
  CacheGuard<> guard(filter, cache, load, {.wait_limit = std::chrono::minutes(5)});
  run_threads(kThreads, [&](int) {
    for (int key = 0; key < kKeys; ++key) {
      ++counts[key].askers;
      if (guard.get(std::to_string(key)) == "row") ++counts[key].answers;
    }
  });
}

TEST(SharedCacheQueries, AllWhoMissAKeyTogetherAreOneQuery) {
  if (!RedisServer::is_installed()) GTEST_SKIP() << "no redis-server here";
  const testing::ScratchFolder folder;
  const RedisServer server(folder.path().string());
  const auto counts = shared_counts();
  std::vector<pid_t> children;
  for (int i = 0; i < kProcesses; ++i) {
    const pid_t child = fork();
    if (child != 0) {
      children.push_back(child);
      continue;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    try {
      ask(counts.get(), "redis+unix://" + server.socket() + "?timeout=60000#users");
    } catch (const std::exception& error) {
      fprintf(stderr, "a process: %s\n", error.what());
      _exit(1);
    }
    _exit(0);
  }
  for (const pid_t child : children) {
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  for (int key = 0; key < kKeys; ++key) {
    EXPECT_EQ(counts[key].queries, 1) << key;
    EXPECT_EQ(counts[key].answers, kCallers) << key;
  }
}

}  // namespace
}  // namespace bloomery
