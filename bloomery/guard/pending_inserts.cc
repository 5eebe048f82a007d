// SPDX-License-Identifier: Apache-2.0
#include "bloomery/guard/pending_inserts.h"

#include <utility>

#include "bloomery/guard/wait_until.h"

namespace bloomery {

PendingInserts::Id PendingInserts::add(Keys keys) {
  const std::lock_guard lock(mutex_);
  const auto [insert, is_new] = inserts_.emplace(next_++, std::move(keys));
  std::size_t done = 0;
  try {
    for (const std::string& key : *insert->second) {
      keys_.insert(key);
      ++done;
    }
  } catch (...) {
    for (std::size_t i = 0; i < done; ++i) keys_.erase(keys_.find((*insert->second)[i]));
    inserts_.erase(insert);
    throw;
  }
  count_.store(keys_.size(), std::memory_order_release);
  return insert->first;
}

void PendingInserts::remove(Id id) noexcept {
  {
    const std::lock_guard lock(mutex_);
    const auto insert = inserts_.find(id);
    if (insert == inserts_.end()) return;
    for (const std::string& key : *insert->second) keys_.erase(keys_.find(key));
    inserts_.erase(insert);
    count_.store(keys_.size(), std::memory_order_release);
  }
  removed_.notify_all();
}

bool PendingInserts::contains(Key key) const {
  if (count_.load(std::memory_order_acquire) == 0) return false;
  const std::lock_guard lock(mutex_);
  return keys_.contains(std::string(key));
}

bool PendingInserts::wait_out(const CallContext& context) {
  std::unique_lock lock(mutex_);
  const Id later = next_;
  return wait_until(removed_, lock, context,
                    [&] { return inserts_.empty() || inserts_.begin()->first >= later; });
}

}  // namespace bloomery
