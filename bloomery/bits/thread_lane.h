// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace bloomery {

// ThreadLane: which of kCount lanes is this thread's. A lane below kOwned is its own while it
// lives: nobody else writes what belongs to the lane, so a counter there goes up by a load and a
// store, without an atomic addition. Threads that come when all those are taken share the others.
//
// A thread that gets a lane sees all that the threads before it wrote in it.
class ThreadLane {
 public:
  static constexpr std::size_t kOwned = 64;
  static constexpr std::size_t kCount = kOwned + 16;

  // The first call of a thread takes the lane, the others cost a load.
  static ThreadLane mine() noexcept {
    return ThreadLane(number_plus_one_ != 0 ? number_plus_one_ - 1 : take());
  }

  std::size_t number() const noexcept { return number_; }
  bool is_own() const noexcept { return number_ < kOwned; }

  // Adds to a counter that only the threads of this lane change, and any thread may read. Relaxed.
  [[gnu::always_inline]] void add(std::atomic_ref<std::uint64_t> counter,
                                  std::uint64_t count) const noexcept {
    if (is_own()) {
      counter.store(counter.load(std::memory_order_relaxed) + count, std::memory_order_relaxed);
    } else {
      counter.fetch_add(count, std::memory_order_relaxed);
    }
  }

 private:
  struct Holder;

  explicit ThreadLane(std::size_t number) noexcept : number_(number) {}
  static std::size_t take() noexcept;

  // 0: none yet. Without a constructor, so that reading it is a load. Not inline: where two shared
  // objects of a process have this library each, each has its numbers beside its own lanes.
  static constinit thread_local std::size_t number_plus_one_;

  std::size_t number_;
};

}  // namespace bloomery
