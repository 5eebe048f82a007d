// SPDX-License-Identifier: Apache-2.0
#include "bloomery/os/file_status.h"

#include <sys/stat.h>

namespace bloomery::os {
namespace {

constexpr mode_t kPermissions = 07777;

FileSort sort_of(mode_t mode) noexcept {
  if (S_ISREG(mode)) return FileSort::file;
  if (S_ISDIR(mode)) return FileSort::folder;
  if (S_ISFIFO(mode)) return FileSort::pipe;
  if (S_ISSOCK(mode)) return FileSort::socket;
  if (S_ISCHR(mode) || S_ISBLK(mode)) return FileSort::device;
  return FileSort::other;
}

FileStatus status(const struct stat& about) noexcept {
  return {sort_of(about.st_mode),
          static_cast<std::uint64_t>(about.st_size),
          {static_cast<std::uint64_t>(about.st_dev), static_cast<std::uint64_t>(about.st_ino)},
          about.st_mode & kPermissions,
          {about.st_uid, about.st_gid},
          static_cast<std::uint64_t>(about.st_nlink)};
}

}  // namespace

std::optional<FileStatus> status_of(int descriptor) noexcept {
  struct stat about {};
  if (fstat(descriptor, &about) != 0) return std::nullopt;
  return status(about);
}

std::optional<FileStatus> status_of(const std::filesystem::path& path) noexcept {
  struct stat about {};
  if (stat(path.c_str(), &about) != 0) return std::nullopt;
  return status(about);
}

}  // namespace bloomery::os
