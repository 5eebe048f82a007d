// SPDX-License-Identifier: Apache-2.0
#include "bloomery/bits/thread_lane.h"

#include <bit>

#include "bloomery/os/thread_end.h"

namespace bloomery {
namespace {

static_assert(ThreadLane::kOwned == 64, "a bit each");
constinit std::atomic<std::uint64_t> taken_lanes{0};

// A lane that nobody has, or kOwned.
std::size_t take_own() noexcept {
  std::uint64_t taken = taken_lanes.load(std::memory_order_relaxed);
  while (taken != UINT64_MAX) {
    const std::uint64_t free_bit = ~taken & (taken + 1);
    // Acquire: what the last thread with this lane wrote comes before what this one does. The bit
    // was cleared with release, and every change in between was a read-modify-write.
    if (taken_lanes.compare_exchange_weak(taken, taken | free_bit, std::memory_order_acquire,
                                          std::memory_order_relaxed)) {
      return static_cast<std::size_t>(std::countr_zero(free_bit));
    }
  }
  return ThreadLane::kOwned;
}

std::size_t take_shared() noexcept {
  static constinit std::atomic<std::size_t> next{0};
  return ThreadLane::kOwned +
         next.fetch_add(1, std::memory_order_relaxed) % (ThreadLane::kCount - ThreadLane::kOwned);
}

}  // namespace

constinit thread_local std::size_t ThreadLane::number_plus_one_ = 0;

// Gives an own lane back when its thread ends.
struct ThreadLane::Holder {
  std::size_t number = take_own();

  ~Holder() {
    if (number == kOwned) return;
    // Code that still runs in this thread, such as destructors of other variables, shares a lane.
    number_plus_one_ = take_shared() + 1;
    taken_lanes.fetch_and(~(std::uint64_t{1} << number), std::memory_order_release);
  }
};

std::size_t ThreadLane::take() noexcept {
  std::size_t number = kOwned;
  if constexpr (os::kDestroysThreadLocals) {
    thread_local const Holder holder;
    number = holder.number;
  }
  if (number == kOwned) number = take_shared();
  number_plus_one_ = number + 1;
  return number;
}

}  // namespace bloomery
