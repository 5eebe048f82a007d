// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <mutex>
#include <optional>

#include "bloomery/place/call_context.h"
#include "bloomery/place/watermark.h"

namespace bloomery {

// A fence that a place did not come to while somebody waited for it, until it moves again: whoever
// asks after half a second of that need not wait for the same. All calls may run together, and
// while there is no such fence the questions take no lock.
class StalledFence {
 public:
  using Clock = CallContext::Clock;

  std::optional<Fence> get();
  bool is_there() const noexcept { return is_there_.load(std::memory_order_acquire); }
  // Returns whether the fence has stood still for so long that waiting is in vain.
  bool gave_up();
  // Returns whether it is the caller's turn to ask the database once more.
  bool may_try();
  // Somebody waited in vain.
  void note(const Fence& fence);
  // Forgets the fence, because the watermark moves again.
  void forget();

 private:
  std::atomic<bool> is_there_{false};
  std::mutex mutex_{};
  Fence fence_{};
  Clock::time_point since_{};
  Clock::time_point try_at_{};
};

}  // namespace bloomery
