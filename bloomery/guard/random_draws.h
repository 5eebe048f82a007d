// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "bloomery/bits/thread_lane.h"

namespace bloomery {

// Draws one in so many, at random. It draws how many are passed over until the next one, for each
// thread by itself: passing over costs a load and a store. All calls may run together; threads that
// share a lane may pass over some more.
class RandomDraws {
 public:
  // 0 draws none.
  explicit RandomDraws(std::uint64_t one_in) noexcept;

  // Returns whether this one is drawn.
  bool next() noexcept {
    std::atomic<std::uint64_t>& left = lanes_[ThreadLane::mine().number()].left;
    const std::uint64_t count = left.load(std::memory_order_relaxed);
    if (count <= 1) return draw(left, count);
    left.store(count - 1, std::memory_order_relaxed);
    return false;
  }

 private:
  // The next drawn one is the `left`th from here; 0: nothing is known of it yet.
  struct alignas(64) Lane {
    std::atomic<std::uint64_t> left{0};
  };

  bool draw(std::atomic<std::uint64_t>& left, std::uint64_t count) noexcept;
  std::uint64_t distance() const noexcept;

  const std::uint64_t one_in_;
  double log_passed_over_;  // ln(1 - 1 / one_in)
  std::array<Lane, ThreadLane::kCount> lanes_;
};

}  // namespace bloomery
