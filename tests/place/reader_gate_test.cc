// SPDX-License-Identifier: Apache-2.0
#include "bloomery/place/reader_gate.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace bloomery {
namespace {

class ReaderGates : public ::testing::TestWithParam<ReaderGate::Waits> {};

// Two objects take turns. One that was taken away is marked, and no reader with a pass sees that.
TEST_P(ReaderGates, LetNobodyReadWhatWasTakenAway) {
  ReaderGate gate(GetParam());
  std::array<std::atomic<bool>, 2> is_gone{};
  std::atomic<std::atomic<bool>*> current = is_gone.data();
  std::atomic<bool> is_over = false;
  std::atomic<std::uint64_t> wrong = 0;
  std::atomic<std::uint64_t> passes = 0;
  {
    std::vector<std::jthread> readers;
    for (int i = 0; i < 2; ++i) {
      readers.emplace_back([&] {
        while (!is_over.load(std::memory_order_relaxed)) {
          const auto pass = gate.enter();
          const std::atomic<bool>* const mine = current.load();
          for (int look = 0; look < 4; ++look) {
            if (mine->load(std::memory_order_relaxed)) ++wrong;
          }
          passes.fetch_add(1, std::memory_order_relaxed);
        }
      });
    }
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
    std::size_t next = 1;
    while (std::chrono::steady_clock::now() < end || passes < 1000) {
      is_gone[next].store(false, std::memory_order_relaxed);
      std::atomic<bool>* const old = current.exchange(&is_gone[next]);
      gate.wait_for_readers();
      old->store(true, std::memory_order_relaxed);
      next = 1 - next;
    }
    is_over = true;
  }
  EXPECT_EQ(wrong, 0U);
}

INSTANTIATE_TEST_SUITE_P(, ReaderGates,
                         ::testing::Values(ReaderGate::Waits::often, ReaderGate::Waits::rarely));

}  // namespace
}  // namespace bloomery
