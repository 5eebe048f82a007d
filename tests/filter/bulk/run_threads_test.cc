// SPDX-License-Identifier: Apache-2.0
#include "bloomery/filter/bulk/run_threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <vector>

namespace bloomery {
namespace {

TEST(RunThreads, CallsEachOnceOnAThreadOfItsOwn) {
  for (const std::size_t count : {1U, 2U, 7U}) {
    std::vector<std::atomic<int>> calls(count);
    std::vector<std::thread::id> threads(count);
    run_threads(count, [&](std::size_t i) {
      ++calls[i];
      threads[i] = std::this_thread::get_id();
    });
    for (const auto& each : calls) EXPECT_EQ(each, 1);
    EXPECT_EQ(std::set(threads.begin(), threads.end()).size(), count);
    EXPECT_EQ(threads[0], std::this_thread::get_id());
  }
}

}  // namespace
}  // namespace bloomery
