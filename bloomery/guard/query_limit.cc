// SPDX-License-Identifier: Apache-2.0
#include "bloomery/guard/query_limit.h"

#include <algorithm>
#include <string>

#include "bloomery/guard/wait_until.h"

namespace bloomery {

QueryLimit::Slot QueryLimit::enter(const CallContext& context) {
  if (try_take()) return Slot(*this);
  CallContext patience = context;
  patience.deadline = std::min(context.deadline, CallContext::within(longest_wait_).deadline);
  std::unique_lock lock(mutex_);
  // Counted before the places are looked at again; leave() says why.
  waiting_.fetch_add(1, std::memory_order_seq_cst);
  const bool has_one = wait_until(left_, lock, patience, [this] { return try_take(); });
  waiting_.fetch_sub(1, std::memory_order_relaxed);
  if (has_one) return Slot(*this);
  if (context.is_over()) {
    throw CallAborted("guard: the call was over before one of " + std::to_string(at_most_) +
                      " queries_at_once came free");
  }
  throw GuardOverloaded("guard: all " + std::to_string(at_most_) +
                        " queries_at_once stayed busy for the query_wait of " +
                        std::to_string(longest_wait_.count()) + " ms");
}

std::optional<QueryLimit::Slot> QueryLimit::try_enter() {
  if (!try_take()) return std::nullopt;
  return Slot(*this);
}

bool QueryLimit::try_take() noexcept {
  std::size_t free = free_.load(std::memory_order_seq_cst);
  while (free != 0) {
    // seq_cst: the work of the last one with this place comes before that of the next one.
    if (free_.compare_exchange_weak(free, free - 1, std::memory_order_seq_cst)) return true;
  }
  return false;
}

void QueryLimit::leave() noexcept {
  // All of these are seq_cst. A waiter counts himself and then looks for a place; here a place is
  // given back and then the waiters are looked at. So he sees the place, or is seen here.
  free_.fetch_add(1, std::memory_order_seq_cst);
  if (waiting_.load(std::memory_order_seq_cst) == 0) return;
  // The lock: between his look and his sleep he holds it, and is not told in vain.
  const std::lock_guard lock(mutex_);
  left_.notify_one();
}

}  // namespace bloomery
