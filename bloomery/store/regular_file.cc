// SPDX-License-Identifier: Apache-2.0
#include "bloomery/store/regular_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "bloomery/store/messages.h"
#include "bloomery/text/grouped.h"

namespace bloomery {
namespace {

constexpr mode_t kPermissions = 07777;
// More than this in one call is cut short by the kernel anyway.
constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;

void require_regular(const std::filesystem::path& path, mode_t mode) {
  if (S_ISREG(mode)) return;
  const char* what = "is not a regular file";
  if (S_ISDIR(mode)) what = "is a directory, not a file";
  if (S_ISFIFO(mode)) what = "is a pipe, not a file";
  if (S_ISSOCK(mode)) what = "is a socket, not a file";
  if (S_ISCHR(mode) || S_ISBLK(mode)) what = "is a device, not a file";
  throw_other_sort(path, what, S_ISDIR(mode));
}

}  // namespace

RegularFile::RegularFile(FileDescriptor descriptor, std::filesystem::path path)
    : descriptor_(std::move(descriptor)), path_(std::move(path)) {
  struct stat about {};
  if (fstat(descriptor_.number(), &about) != 0) throw_store_error(path_, "look at it", errno);
  require_regular(path_, about.st_mode);
  size_ = static_cast<std::uint64_t>(about.st_size);
  device_ = about.st_dev;
  inode_ = about.st_ino;
}

RegularFile RegularFile::open(const std::filesystem::path& path, Access access) {
  auto file = open_existing(path, access);
  if (!file) throw_store_error(path, "open it", ENOENT);
  return std::move(*file);
}

std::optional<RegularFile> RegularFile::open_existing(const std::filesystem::path& path,
                                                      Access access) {
  if (path.native().find('\0') != std::string::npos) {
    throw_store_error(path, "a file name has no zero byte");
  }
  // Opening a device or a socket may do something, or fail with a puzzling reason: look first.
  struct stat about {};
  if (stat(path.c_str(), &about) == 0) require_regular(path, about.st_mode);
  const int flags =
      (access == Access::read ? O_RDONLY : O_RDWR) | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  FileDescriptor descriptor(::open(path.c_str(), flags));
  if (!descriptor.is_open()) {
    if (errno == ENOENT) return std::nullopt;
    throw_store_error(path, access == Access::read ? "open it" : "open it for writing", errno);
  }
  return RegularFile(std::move(descriptor), path);
}

void RegularFile::read(std::span<std::byte> to, std::uint64_t offset) const {
  while (!to.empty()) {
    const ssize_t got = pread(descriptor(), to.data(), std::min(to.size(), kMostAtOnce),
                              static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw_store_error(path_, "read it", errno);
    if (got == 0) {
      throw_format_error(path_, "truncated at byte " + grouped(offset) + " while it was read");
    }
    to = to.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
}

void RegularFile::write(std::span<const std::byte> bytes, std::uint64_t offset) const {
  while (!bytes.empty()) {
    const ssize_t put = pwrite(descriptor(), bytes.data(), std::min(bytes.size(), kMostAtOnce),
                               static_cast<off_t>(offset));
    if (put < 0 && errno == EINTR) continue;
    // Zero bytes written say nothing; the only honest reading is that no more fit.
    if (put <= 0) throw_store_error(path_, "write it", put < 0 ? errno : ENOSPC);
    bytes = bytes.subspan(static_cast<std::size_t>(put));
    offset += static_cast<std::uint64_t>(put);
  }
}

void RegularFile::sync() const {
  if (fsync(descriptor()) != 0) throw_store_error(path_, "bring it to the disk (fsync)", errno);
}

mode_t RegularFile::permissions() const {
  struct stat about {};
  if (fstat(descriptor(), &about) != 0) throw_store_error(path_, "look at it", errno);
  return about.st_mode & kPermissions;
}

Owner RegularFile::owner() const {
  struct stat about {};
  if (fstat(descriptor(), &about) != 0) throw_store_error(path_, "look at it", errno);
  return {about.st_uid, about.st_gid};
}

std::uint64_t RegularFile::link_count() const {
  struct stat about {};
  if (fstat(descriptor(), &about) != 0) throw_store_error(path_, "look at it", errno);
  return about.st_nlink;
}

bool RegularFile::is_named(const std::filesystem::path& path) const noexcept {
  struct stat about {};
  return stat(path.c_str(), &about) == 0 && about.st_dev == device_ && about.st_ino == inode_;
}

}  // namespace bloomery
