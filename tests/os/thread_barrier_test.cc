// SPDX-License-Identifier: Apache-2.0
#include "bloomery/os/thread_barrier.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace bloomery {
namespace {

constexpr std::uint32_t kSteps = 1'000'000;

struct alignas(64) Counter {
  std::uint32_t value = 0;
};

// The builtins are instructions also in a build that inlines nothing, where calls between a store
// and a load would hide what is tested.
#define STORE(counter, step) __atomic_store_n(&(counter).value, step, __ATOMIC_RELAXED)
#define LOAD(counter) __atomic_load_n(&(counter).value, __ATOMIC_RELAXED)

// Two threads raise a counter each, and look at the other's behind it: one with a barrier of the
// compiler alone, the other with thread_barrier(). Returns how often neither saw the other's step.
// Processors keep stores back, so without the barrier it happens.
std::size_t missed_in_a_run() {
  Counter mine;
  Counter theirs;
  std::vector<std::uint32_t> seen(kSteps + 2, UINT32_MAX);          // of `theirs`, behind each step
  std::vector<std::uint32_t> seen_by_them(kSteps + 2, UINT32_MAX);  // of `mine`
  std::uint32_t* const by_other = seen.data();
  std::uint32_t* const by_this = seen_by_them.data();
  std::uint32_t last = 0;
  std::atomic<bool> is_over = false;
  std::jthread other([&] {
    for (std::uint32_t step = 1; step <= kSteps; ++step) {
      STORE(mine, step);
      __atomic_signal_fence(__ATOMIC_SEQ_CST);
      by_other[step] = LOAD(theirs);
    }
    is_over = true;
  });
  while (!is_over && last < kSteps) {
    ++last;
    STORE(theirs, last);
    thread_barrier();
    by_this[last] = LOAD(mine);
  }
  other.join();
  std::size_t missed = 0;
  for (std::uint32_t step = 1; step <= last; ++step) {
    if (seen[seen_by_them[step] + 1] < step) ++missed;
  }
  return missed;
}

TEST(ThreadBarrier, OrdersStoresBeforeLoadsInAllThreads) {
  if (!has_thread_barrier()) GTEST_SKIP() << "there is none here";
  for (int run = 0; run < 30; ++run) EXPECT_EQ(missed_in_a_run(), 0U);
}

}  // namespace
}  // namespace bloomery
