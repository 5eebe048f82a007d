#include "bloomery/guard/query_limit.h"

#include <string>

namespace bloomery {

QueryLimit::Slot QueryLimit::enter() {
  std::unique_lock lock(mutex_);
  if (!left_.wait_for(lock, longest_wait_, [this] { return free_ > 0; })) {
    throw GuardOverloaded("guard: filter or cache cannot answer, and all " +
                          std::to_string(at_most_) +
                          " unguarded_queries stayed busy for the unguarded_wait of " +
                          std::to_string(longest_wait_.count()) + " ms");
  }
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
