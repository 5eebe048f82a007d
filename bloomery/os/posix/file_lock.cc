// SPDX-License-Identifier: Apache-2.0
#include "bloomery/os/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>

namespace bloomery::os {

bool try_lock(int descriptor, LockSort sort) noexcept {
  return flock(descriptor, (sort == LockSort::shared ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0;
}

bool try_lock_byte(int descriptor, std::uint64_t at) noexcept {
  struct flock byte {};
  byte.l_type = F_WRLCK;
  byte.l_whence = SEEK_SET;
  byte.l_start = static_cast<off_t>(at);
  byte.l_len = 1;
  return fcntl(descriptor, F_OFD_SETLK, &byte) == 0;
}

void unlock(int descriptor) noexcept {
  flock(descriptor, LOCK_UN);
}

}  // namespace bloomery::os
