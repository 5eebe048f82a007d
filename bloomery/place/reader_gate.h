// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>

#include "bloomery/bits/thread_lane.h"

namespace bloomery {

// Lets one thread take away what others read without a lock: readers hold a pass while they read,
// and who has replaced the object waits for the passes from before. A pass costs one store that is
// ordered before the load that follows it, and a plain one, on a line that the thread has for
// itself (see ThreadLane for those who share one). Where the object is rarely replaced, the one who
// waits pays for the order (thread_barrier()), and readers have two plain stores.
class ReaderGate {
 public:
  enum class Waits : bool { often, rarely };
  explicit ReaderGate(Waits waits = Waits::often) noexcept;

  class Pass {
   public:
    // seq_cst, so that it stands before the load of the pointer in the one order of all such
    // operations: wait_for_readers() tells why.
    Pass(std::atomic<std::size_t>& inside, ThreadLane lane, bool orders) noexcept
        : inside_(inside), lane_(lane) {
      if (lane_.is_own()) {  // nobody else changes the counter between load and store
        const std::size_t count = inside_.load(std::memory_order_relaxed) + 1;
        if (orders) {
          inside_.store(count, std::memory_order_seq_cst);
        } else {
          inside_.store(count, std::memory_order_relaxed);
          std::atomic_signal_fence(std::memory_order_seq_cst);
        }
      } else {
        inside_.fetch_add(1, std::memory_order_seq_cst);
      }
    }
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;
    // Release: who sees that the pass is gone sees all reading done.
    ~Pass() {
      if (lane_.is_own()) {
        inside_.store(inside_.load(std::memory_order_relaxed) - 1, std::memory_order_release);
      } else {
        inside_.fetch_sub(1, std::memory_order_release);
      }
    }

   private:
    std::atomic<std::size_t>& inside_;
    const ThreadLane lane_;
  };

  // Take the pass, then load the pointer (seq_cst), then read, and give the pass back in the same
  // thread.
  [[nodiscard]] Pass enter() const noexcept {
    const ThreadLane lane = ThreadLane::mine();
    return Pass(stripes_[lane.number()].inside[turn_.load(std::memory_order_relaxed)], lane,
                readers_order_);
  }

  // Store the new pointer (seq_cst), then call this: nobody reads the old one any more when it
  // returns. Never while holding a pass.
  void wait_for_readers() noexcept;

 private:
  // Readers enter by one of two doors, so that those who come while one is watched do not keep it
  // from becoming empty.
  struct alignas(64) Stripe {
    std::array<std::atomic<std::size_t>, 2> inside{};
  };

  void wait_until_empty(std::size_t door) const noexcept;

  const bool readers_order_;  // their store before their load
  mutable std::array<Stripe, ThreadLane::kCount> stripes_;
  std::atomic<std::size_t> turn_{0};
  std::mutex waiting_;
};

}  // namespace bloomery
