// SPDX-License-Identifier: Apache-2.0
#include "bloomery/os/file_lock.h"

#include "bloomery/os/windows/system_calls.h"

namespace bloomery::os {
namespace {

// Windows keeps others from the bytes that are locked: the last one that a file could have.
OVERLAPPED last_byte() noexcept {
  OVERLAPPED place{};
  place.Offset = 0xfffffffe;
  place.OffsetHigh = 0x7fffffff;
  return place;
}

}  // namespace

bool try_lock(int descriptor, LockSort sort) noexcept {
  OVERLAPPED place = last_byte();
  const DWORD how = LOCKFILE_FAIL_IMMEDIATELY |
                    (sort == LockSort::exclusive ? DWORD{LOCKFILE_EXCLUSIVE_LOCK} : DWORD{0});
  if (LockFileEx(handle_of(descriptor), how, 0, 1, 0, &place) != 0) return true;
  const DWORD error = GetLastError();
  const bool is_taken = error == ERROR_LOCK_VIOLATION || error == ERROR_IO_PENDING;
  errno = is_taken ? EWOULDBLOCK : error_number(error);
  return false;
}

// Nobody shares a file there, beside whom a byte would be locked.
bool try_lock_byte(int, std::uint64_t) noexcept {
  errno = ENOTSUP;
  return false;
}

void unlock(int descriptor) noexcept {
  OVERLAPPED place = last_byte();
  UnlockFileEx(handle_of(descriptor), 0, 1, 0, &place);
}

}  // namespace bloomery::os
