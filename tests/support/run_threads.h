// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <latch>
#include <thread>
#include <vector>

namespace bloomery {

// Runs work(0) to work(count - 1) at once and waits for all of them.
inline void run_threads(int count, const std::function<void(int)>& work) {
  std::latch start(count);
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      work(i);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace bloomery
