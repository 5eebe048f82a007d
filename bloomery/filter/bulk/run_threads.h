// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

namespace bloomery {

// Calls work(i) for each i below `count`, each on a thread of its own, the first on the caller's;
// returns when all are done. Where the system has no more threads to give, the caller's does the
// rest. `work` must not throw.
template <class Work>
void run_threads(std::size_t count, const Work& work) noexcept {
  std::size_t started = 1;
  std::vector<std::jthread> threads;
  try {
    threads.reserve(count - 1);
    for (; started < count; ++started) threads.emplace_back([&work, started] { work(started); });
  } catch (const std::exception&) {
    for (; started < count; ++started) work(started);
  }
  work(0);
}

}  // namespace bloomery
