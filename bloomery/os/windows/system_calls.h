// SPDX-License-Identifier: Apache-2.0
#pragma once

// Windows 10 and later, and of its header only what is asked for.
#if !defined(_WIN32_WINNT) || _WIN32_WINNT < 0x0A00
#undef _WIN32_WINNT
#define _WIN32_WINNT 0x0A00
#endif
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <io.h>
#include <windows.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

// The other files of this folder share these.
namespace bloomery::os {

inline HANDLE handle_of(int descriptor) noexcept {
  return reinterpret_cast<HANDLE>(_get_osfhandle(descriptor));
}

// Returns the number that errno has for an error of Windows: EIO where it has none.
inline int error_number(DWORD error) noexcept {
  if (error == ERROR_USER_MAPPED_FILE) return EBUSY;
  if (error == ERROR_HANDLE_DISK_FULL) return ENOSPC;
  const auto condition = std::system_category().default_error_condition(static_cast<int>(error));
  return condition.category() == std::generic_category() ? condition.value() : EIO;
}

// Puts what the last call of Windows failed with into errno.
inline void tell_last_error() noexcept {
  errno = error_number(GetLastError());
}

inline DWORD low_half(std::uint64_t number) noexcept {
  return static_cast<DWORD>(number);
}
inline DWORD high_half(std::uint64_t number) noexcept {
  return static_cast<DWORD>(number >> 32);
}
inline std::uint64_t whole_of(DWORD high, DWORD low) noexcept {
  return std::uint64_t{high} << 32 | low;
}

// Closes itself. Failed calls give null or INVALID_HANDLE_VALUE: both are none.
class Handle {
 public:
  explicit Handle(HANDLE handle) noexcept : handle_(handle) {}
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (is_open()) CloseHandle(handle_);
  }

  HANDLE get() const noexcept { return handle_; }
  bool is_open() const noexcept { return handle_ != nullptr && handle_ != INVALID_HANDLE_VALUE; }

 private:
  HANDLE handle_;
};

}  // namespace bloomery::os
