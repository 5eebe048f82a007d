#include "bloomery/guard/pending_inserts.h"

namespace bloomery {

void PendingInserts::add(Key key) {
  const std::lock_guard lock(mutex_);
  keys_.emplace(key);
  count_.store(keys_.size(), std::memory_order_release);
}

void PendingInserts::remove(const std::string& key) noexcept {
  const std::lock_guard lock(mutex_);
  if (const auto found = keys_.find(key); found != keys_.end()) keys_.erase(found);
  count_.store(keys_.size(), std::memory_order_release);
}

bool PendingInserts::contains(Key key) const {
  if (count_.load(std::memory_order_acquire) == 0) return false;
  const std::lock_guard lock(mutex_);
  return keys_.contains(std::string(key));
}

}  // namespace bloomery
