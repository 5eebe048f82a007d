// SPDX-License-Identifier: Apache-2.0
#include "bloomery/place/stalled_fence.h"

#include <chrono>

namespace bloomery {
namespace {

using std::chrono::milliseconds;

// The time during which callers wait for a place that stands still, from the first vain wait on.
constexpr milliseconds kPatience{500};
// How often one asks the database after that.
constexpr milliseconds kPauseInTrouble{100};

}  // namespace

std::optional<Fence> StalledFence::get() {
  if (!is_there()) return std::nullopt;
  const std::lock_guard lock(mutex_);
  return fence_;
}

bool StalledFence::gave_up() {
  if (!is_there()) return false;
  const std::lock_guard lock(mutex_);
  return is_there_ && Clock::now() >= since_ + kPatience;
}

bool StalledFence::may_try() {
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  if (now < try_at_) return false;
  try_at_ = now + kPauseInTrouble;
  return true;
}

void StalledFence::note(const Fence& fence) {
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  try_at_ = now + kPauseInTrouble;
  // The first is what shows first that it moves again.
  if (is_there_ && fence_.at_least.source == fence.at_least.source) return;
  fence_ = fence;
  if (!is_there_) since_ = now;
  is_there_.store(true, std::memory_order_release);
}

void StalledFence::forget() {
  if (!is_there()) return;
  const std::lock_guard lock(mutex_);
  is_there_.store(false, std::memory_order_release);
}

}  // namespace bloomery
