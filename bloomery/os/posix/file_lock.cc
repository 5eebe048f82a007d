// SPDX-License-Identifier: Apache-2.0
#include "bloomery/os/file_lock.h"

#include <sys/file.h>

namespace bloomery::os {

bool try_lock(int descriptor, LockSort sort) noexcept {
  return flock(descriptor, (sort == LockSort::shared ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0;
}

void unlock(int descriptor) noexcept {
  flock(descriptor, LOCK_UN);
}

}  // namespace bloomery::os
