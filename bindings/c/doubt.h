// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace bloomery::c {

// Doubt: whether keys of a filter may be missing. It counts the inserts that failed, and knows up
// to which of them somebody has said that he knows. Threads may call all of it at any time.
class Doubt {
 public:
  void add() noexcept { failures_.fetch_add(1, std::memory_order_release); }

  // `seen`: the failures until now. `end`: takes away the failures up to `seen`, and none that came
  // later.
  std::uint64_t seen() const noexcept { return failures_.load(std::memory_order_acquire); }
  void end(std::uint64_t seen) noexcept {
    std::uint64_t before = ended_.load(std::memory_order_relaxed);
    while (before < seen &&
           !ended_.compare_exchange_weak(before, seen, std::memory_order_relaxed)) {
    }
  }

  bool is_there() const noexcept {
    return failures_.load(std::memory_order_relaxed) != ended_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> failures_ = 0;
  std::atomic<std::uint64_t> ended_ = 0;
};

}  // namespace bloomery::c
