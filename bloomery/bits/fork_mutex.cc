// SPDX-License-Identifier: Apache-2.0
#include "bloomery/bits/fork_mutex.h"

#include "bloomery/os/at_fork.h"

namespace bloomery {

// Never freed: fork may come while the process ends.
struct ForkMutex::All {
  std::mutex mutex{};
  ForkMutex* first = nullptr;

  All() {
    os::at_fork([] { all().take(); }, [] { all().give_back(); }, [] { all().give_back(); });
  }
  void take() {
    mutex.lock();
    for (ForkMutex* each = first; each != nullptr; each = each->behind_) each->lock();
  }
  void give_back() {
    for (ForkMutex* each = first; each != nullptr; each = each->behind_) each->unlock();
    mutex.unlock();
  }
};

ForkMutex::All& ForkMutex::all() {
  static All& one = *new All;
  return one;
}

ForkMutex::ForkMutex() {
  const std::lock_guard lock(all().mutex);
  behind_ = all().first;
  if (behind_ != nullptr) behind_->before_ = this;
  all().first = this;
}

ForkMutex::~ForkMutex() {
  const std::lock_guard lock(all().mutex);
  if (before_ != nullptr) {
    before_->behind_ = behind_;
  } else {
    all().first = behind_;
  }
  if (behind_ != nullptr) behind_->before_ = before_;
}

}  // namespace bloomery
