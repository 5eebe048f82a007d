// SPDX-License-Identifier: Apache-2.0
#include "bloomery/os/file_name.h"

#include <fcntl.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <vector>

#include "bloomery/os/file_status.h"
#include "bloomery/os/open_file.h"
#include "bloomery/os/windows/system_calls.h"

namespace bloomery::os {
namespace {

// FILE_RENAME_INFO as Windows 10 has it, which older headers do not.
struct Renaming {
  DWORD flags;
  HANDLE folder;
  DWORD name_bytes;
  WCHAR name[1];
};
constexpr DWORD kMostName = 32'768;
constexpr int kRenameInfo = 3;
constexpr int kRenameInfoEx = 22;
constexpr DWORD kReplace = 1;
// The name changes hands while others have the old file open, as elsewhere.
constexpr DWORD kWhileOpen = 2;

// Returns ERROR_SUCCESS or an error of Windows. Takes no memory: who renames may have none left.
DWORD rename(HANDLE file, const std::filesystem::path& to, int sort, DWORD flags) noexcept {
  std::array<WCHAR, kMostName> name;
  const DWORD length = GetFullPathNameW(to.c_str(), kMostName, name.data(), nullptr);
  if (length == 0) return GetLastError();
  if (length >= kMostName) return ERROR_FILENAME_EXCED_RANGE;
  const DWORD name_bytes = length * sizeof(WCHAR);
  const Renaming renaming{flags, nullptr, name_bytes, {}};
  // With a zero behind the name.
  std::array<std::byte, sizeof renaming + sizeof name> room{};
  std::memcpy(room.data(), &renaming, sizeof renaming);
  std::memcpy(room.data() + offsetof(Renaming, name), name.data(), name_bytes);
  const auto as = static_cast<FILE_INFO_BY_HANDLE_CLASS>(sort);
  const auto size = static_cast<DWORD>(sizeof renaming + name_bytes);
  return SetFileInformationByHandle(file, as, room.data(), size) != 0 ? ERROR_SUCCESS
                                                                      : GetLastError();
}

// The name comes to the disk with what is there of the file.
int flush_name(HANDLE file) noexcept {
  return FlushFileBuffers(file) != 0 ? 0 : error_number(GetLastError());
}

bool is_unknown(DWORD error) noexcept {
  return error == ERROR_INVALID_PARAMETER || error == ERROR_NOT_SUPPORTED ||
         error == ERROR_INVALID_FUNCTION || error == ERROR_CALL_NOT_IMPLEMENTED;
}

// Gives the number of an open file to the null device: Windows then forgets the file, and its lock.
bool let_go(int descriptor) noexcept {
  const int nothing = _open("NUL", _O_RDONLY | _O_BINARY | _O_NOINHERIT);
  if (nothing < 0) return false;
  const bool done = _dup2(nothing, descriptor) == 0;
  _close(nothing);
  return done;
}

// Renames on file systems where a file that is open cannot lose its name. No other replaces the
// file meanwhile: he would have to have the lock of the new file, as all in the making have one
// name here. Whoever has the file open in the end, as one who changes it in place has, makes this
// fail. Then the lock is lost, and nothing is replaced by it any more.
DWORD rename_over_closed(HANDLE file, const std::filesystem::path& to, int replaced) noexcept {
  if (!let_go(replaced)) return ERROR_TOO_MANY_OPEN_FILES;
  return rename(file, to, kRenameInfo, kReplace);
}

bool is_same_file(int descriptor, const std::filesystem::path& path) noexcept {
  const auto one = status_of(descriptor);
  const auto other = status_of(path);
  return one && other && one->identity == other->identity;
}

}  // namespace

FileDescriptor open_nameless(const std::filesystem::path&, std::uint32_t) noexcept {
  errno = ENOTSUP;
  return {};
}

int give_name(int, const std::filesystem::path&) noexcept {
  return ENOTSUP;
}

int rename_to_new(int descriptor, const std::filesystem::path&,
                  const std::filesystem::path& to) noexcept {
  const HANDLE file = handle_of(descriptor);
  const DWORD error = rename(file, to, kRenameInfo, 0);
  if (error == ERROR_ALREADY_EXISTS || error == ERROR_FILE_EXISTS) return EEXIST;
  return error == ERROR_SUCCESS ? flush_name(file) : error_number(error);
}

int rename_over(int descriptor, const std::filesystem::path&, const std::filesystem::path& to,
                int replaced) noexcept {
  if (!is_same_file(replaced, to)) return EBUSY;
  const HANDLE file = handle_of(descriptor);
  DWORD error = rename(file, to, kRenameInfoEx, kReplace | kWhileOpen);
  if (is_unknown(error)) error = rename_over_closed(file, to, replaced);
  return error == ERROR_SUCCESS ? flush_name(file) : error_number(error);
}

std::filesystem::path link_target(const std::filesystem::path& path, std::error_code& not_a_link) {
  WIN32_FIND_DATAW about{};
  const HANDLE search = FindFirstFileW(path.c_str(), &about);
  if (search != INVALID_HANDLE_VALUE) FindClose(search);
  constexpr DWORD kLink = FILE_ATTRIBUTE_REPARSE_POINT;
  const bool is_link = search != INVALID_HANDLE_VALUE && (about.dwFileAttributes & kLink) != 0 &&
                       about.dwReserved0 == IO_REPARSE_TAG_SYMLINK;
  const FileDescriptor target = is_link ? open_file(path, Access::read) : FileDescriptor();
  std::vector<WCHAR> name(kMostName);
  const DWORD size = target.is_open()
                         ? GetFinalPathNameByHandleW(handle_of(target.number()), name.data(),
                                                     kMostName, FILE_NAME_NORMALIZED)
                         : 0;
  if (size == 0 || size >= kMostName) {
    not_a_link = std::make_error_code(std::errc::invalid_argument);
    return {};
  }
  not_a_link.clear();
  return std::filesystem::path(name.data(), name.data() + size);
}

void remove_name(const std::filesystem::path& name) noexcept {
  DeleteFileW(name.c_str());
}

}  // namespace bloomery::os
