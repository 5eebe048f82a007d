// SPDX-License-Identifier: Apache-2.0
#include "bloomery/os/file_status.h"

#include "bloomery/os/windows/owner_only.h"
#include "bloomery/os/windows/system_calls.h"

namespace bloomery::os {
namespace {

constexpr std::uint32_t kNewFile = 0666;
constexpr std::uint32_t kOwnerOnly = 0600;

FileSort sort_of(HANDLE file, DWORD attributes) noexcept {
  switch (GetFileType(file)) {
    case FILE_TYPE_DISK:
      return (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0 ? FileSort::folder : FileSort::file;
    case FILE_TYPE_PIPE:
      return FileSort::pipe;
    case FILE_TYPE_CHAR:
      return FileSort::device;
    default:
      return FileSort::other;
  }
}

std::optional<FileStatus> status_of(HANDLE file) noexcept {
  FileStatus status;
  BY_HANDLE_FILE_INFORMATION about{};
  if (GetFileInformationByHandle(file, &about) == 0) {
    // Pipes and devices say nothing.
    status.sort = sort_of(file, 0);
    if (status.sort == FileSort::pipe || status.sort == FileSort::device) return status;
    tell_last_error();
    return std::nullopt;
  }
  status.sort = sort_of(file, about.dwFileAttributes);
  status.size = whole_of(about.nFileSizeHigh, about.nFileSizeLow);
  status.identity = {about.dwVolumeSerialNumber,
                     whole_of(about.nFileIndexHigh, about.nFileIndexLow)};
  status.permissions = kNewFile;
  status.link_count = about.nNumberOfLinks;
  return status;
}

}  // namespace

std::optional<FileStatus> status_of(int descriptor) noexcept {
  const HANDLE file = handle_of(descriptor);
  auto status = status_of(file);
  if (status && is_restricted(file)) status->permissions = kOwnerOnly;
  return status;
}

std::optional<FileStatus> status_of(const std::filesystem::path& path) noexcept {
  constexpr DWORD kWithAll = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
  const Handle file(CreateFileW(path.c_str(), FILE_READ_ATTRIBUTES, kWithAll, nullptr,
                                OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr));
  if (file.is_open()) return status_of(file.get());
  tell_last_error();
  return std::nullopt;
}

}  // namespace bloomery::os
