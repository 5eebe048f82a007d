// SPDX-License-Identifier: Apache-2.0
#include "bloomery/guard/breaker.h"

namespace bloomery {

void Breaker::failed() noexcept {
  if (failures_.fetch_add(1, std::memory_order_relaxed) + 1 < limit_) return;
  closed_until_.store((now_() + pause_).time_since_epoch().count(), std::memory_order_release);
}

bool Breaker::may_try(Clock::rep until) noexcept {
  const Clock::time_point now = now_();
  if (now.time_since_epoch().count() < until) return false;
  // One of all who come now tries.
  return closed_until_.compare_exchange_strong(until, (now + pause_).time_since_epoch().count(),
                                               std::memory_order_acq_rel);
}

void Breaker::reset() noexcept {
  failures_.store(0, std::memory_order_relaxed);
  closed_until_.store(0, std::memory_order_release);
}

}  // namespace bloomery
