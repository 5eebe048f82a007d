// SPDX-License-Identifier: Apache-2.0
#include "bloomery/os/open_file.h"

#include <fcntl.h>

#include "bloomery/os/windows/owner_only.h"
#include "bloomery/os/windows/system_calls.h"

namespace bloomery::os {
namespace {

// Sharing lets others do all with a file that is open: locks keep writers apart, as elsewhere.
constexpr DWORD kWithAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

struct Opening {
  DWORD access;
  DWORD if_exists = OPEN_EXISTING;
  DWORD flags = FILE_ATTRIBUTE_NORMAL;
  SECURITY_ATTRIBUTES* rights = nullptr;
};

FileDescriptor open(const std::filesystem::path& path, const Opening& how) noexcept {
  const HANDLE file = CreateFileW(path.c_str(), how.access, kWithAll, how.rights, how.if_exists,
                                  how.flags, nullptr);
  if (file == INVALID_HANDLE_VALUE) {
    tell_last_error();
    return {};
  }
  const int descriptor =
      _open_osfhandle(reinterpret_cast<std::intptr_t>(file), _O_BINARY | _O_NOINHERIT);
  if (descriptor < 0) CloseHandle(file);
  return FileDescriptor(descriptor);
}

bool is_link(int descriptor) noexcept {
  BY_HANDLE_FILE_INFORMATION about{};
  return GetFileInformationByHandle(handle_of(descriptor), &about) != 0 &&
         (about.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0;
}

}  // namespace

void close_file(int descriptor) noexcept {
  _close(descriptor);
}

FileDescriptor open_file(const std::filesystem::path& path, Access access) noexcept {
  const DWORD writing = access == Access::read_write ? GENERIC_WRITE : 0;
  return open(path, {.access = GENERIC_READ | writing});
}

// With the rights to rename it, and to change who may use it.
FileDescriptor open_or_create(const std::filesystem::path& path,
                              std::uint32_t permissions) noexcept {
  OwnerOnly owner_only;
  SECURITY_ATTRIBUTES rights = owner_only.attributes();
  const bool is_restricted = (permissions & 077) == 0;
  if (is_restricted && !owner_only.is_made()) return {};
  FileDescriptor file = open(path, {.access = GENERIC_READ | GENERIC_WRITE | DELETE | WRITE_DAC,
                                    .if_exists = OPEN_ALWAYS,
                                    .flags = FILE_ATTRIBUTE_NORMAL | FILE_FLAG_OPEN_REPARSE_POINT,
                                    .rights = is_restricted ? &rights : nullptr});
  if (!file.is_open() || !is_link(file.number())) return file;
  errno = ELOOP;
  return {};
}

// With the right to make files in it.
FileDescriptor open_folder(const std::filesystem::path& path) noexcept {
  return open(path, {.access = GENERIC_READ | FILE_ADD_FILE, .flags = FILE_FLAG_BACKUP_SEMANTICS});
}

}  // namespace bloomery::os
