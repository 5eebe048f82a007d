#include "bloomery/guard/query_limit.h"

#include <algorithm>
#include <string>

#include "bloomery/guard/wait_until.h"

namespace bloomery {

QueryLimit::Slot QueryLimit::enter(const CallContext& context) {
  std::unique_lock lock(mutex_);
  if (free_ == 0) {
    CallContext patience = context;
    patience.deadline = std::min(context.deadline, CallContext::Clock::now() + longest_wait_);
    if (!wait_until(left_, lock, patience, [this] { return free_ > 0; })) {
      if (context.is_over()) {
        throw CallAborted("guard: the call was over before one of " + std::to_string(at_most_) +
                          " queries_at_once came free");
      }
      throw GuardOverloaded("guard: all " + std::to_string(at_most_) +
                            " queries_at_once stayed busy for the query_wait of " +
                            std::to_string(longest_wait_.count()) + " ms");
    }
  }
  --free_;
  return Slot(*this);
}

std::optional<QueryLimit::Slot> QueryLimit::try_enter() {
  const std::lock_guard lock(mutex_);
  if (free_ == 0) return std::nullopt;
  --free_;
  return Slot(*this);
}

void QueryLimit::leave() noexcept {
  {
    const std::lock_guard lock(mutex_);
    ++free_;
  }
  left_.notify_one();
}

}  // namespace bloomery
