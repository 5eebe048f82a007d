// SPDX-License-Identifier: Apache-2.0
#include "bloomery/os/file_bytes.h"

#include <algorithm>
#include <limits>

#include "bloomery/os/windows/system_calls.h"

namespace bloomery::os {
namespace {

DWORD count_of(std::size_t size) noexcept {
  return static_cast<DWORD>(std::min<std::size_t>(size, std::numeric_limits<DWORD>::max()));
}

OVERLAPPED at(std::uint64_t offset) noexcept {
  OVERLAPPED place{};
  place.Offset = low_half(offset);
  place.OffsetHigh = high_half(offset);
  return place;
}

bool is_folder(HANDLE file) noexcept {
  BY_HANDLE_FILE_INFORMATION about{};
  return GetFileInformationByHandle(file, &about) != 0 &&
         (about.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
}

}  // namespace

std::ptrdiff_t read_at(int descriptor, std::span<std::byte> to, std::uint64_t offset) noexcept {
  OVERLAPPED place = at(offset);
  DWORD got = 0;
  if (ReadFile(handle_of(descriptor), to.data(), count_of(to.size()), &got, &place) != 0) {
    return got;
  }
  if (GetLastError() == ERROR_HANDLE_EOF) return 0;
  tell_last_error();
  return -1;
}

std::ptrdiff_t write_at(int descriptor, std::span<const std::byte> bytes,
                        std::uint64_t offset) noexcept {
  OVERLAPPED place = at(offset);
  DWORD put = 0;
  if (WriteFile(handle_of(descriptor), bytes.data(), count_of(bytes.size()), &put, &place) != 0) {
    return put;
  }
  tell_last_error();
  return -1;
}

bool sync(int descriptor) noexcept {
  const HANDLE file = handle_of(descriptor);
  if (FlushFileBuffers(file) != 0) return true;
  tell_last_error();
  if (is_folder(file)) errno = EINVAL;  // as where a file system has no such call for folders
  return false;
}

bool empty(int descriptor) noexcept {
  FILE_END_OF_FILE_INFO end{};
  if (SetFileInformationByHandle(handle_of(descriptor), FileEndOfFileInfo, &end, sizeof end) != 0) {
    return true;
  }
  tell_last_error();
  return false;
}

// A file has blocks for all of its size, unless it is sparse or compressed: then writing through
// memory may find none.
int allocate(int descriptor, std::uint64_t) noexcept {
  BY_HANDLE_FILE_INFORMATION about{};
  if (GetFileInformationByHandle(handle_of(descriptor), &about) == 0) {
    return error_number(GetLastError());
  }
  constexpr DWORD kWithHoles = FILE_ATTRIBUTE_SPARSE_FILE | FILE_ATTRIBUTE_COMPRESSED;
  return (about.dwFileAttributes & kWithHoles) == 0 ? 0 : ENOTSUP;
}

}  // namespace bloomery::os
