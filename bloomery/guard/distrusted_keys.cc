// SPDX-License-Identifier: Apache-2.0
#include "bloomery/guard/distrusted_keys.h"

namespace bloomery {

bool DistrustedKeys::contains(Key key) const {
  if (!any()) return false;
  const std::lock_guard lock(mutex_);
  return keys_.contains(key);
}

void DistrustedKeys::add(std::span<const Key> keys) {
  const std::lock_guard lock(mutex_);
  const Moment now = last_.load(std::memory_order_relaxed) + 1;
  last_.store(now, std::memory_order_release);
  for (const Key each : keys) {
    if (keys_.size() >= kMost && !keys_.contains(each)) continue;
    keys_.insert_or_assign(std::string(each), now);
    // Counted at once: the next key may find no memory, and an exception leaves the loop.
    count_.store(keys_.size(), std::memory_order_release);
  }
}

void DistrustedKeys::remove(std::span<const Key> keys, Moment at_most) noexcept {
  if (!any()) return;
  const std::lock_guard lock(mutex_);
  for (const Key key : keys) {
    const auto found = keys_.find(key);
    if (found != keys_.end() && found->second <= at_most) keys_.erase(found);
  }
  count_.store(keys_.size(), std::memory_order_release);
}

}  // namespace bloomery
