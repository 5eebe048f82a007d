// SPDX-License-Identifier: Apache-2.0
#include "bloomery/os/file_name.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>

namespace bloomery::os {
namespace {

// A name of an open file, which no allocation makes.
struct OwnPath {
  explicit OwnPath(int descriptor) noexcept {
    std::snprintf(text.data(), text.size(), "/proc/self/fd/%d", descriptor);
  }
  std::array<char, 32> text;
};

}  // namespace

FileDescriptor open_nameless(const std::filesystem::path& folder,
                             std::uint32_t permissions) noexcept {
  FileDescriptor file(
      ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, static_cast<mode_t>(permissions)));
  if (!file.is_open()) {
    // Not on this file system, or not in this kernel.
    if (errno == EOPNOTSUPP || errno == EISDIR || errno == ENOENT || errno == EINVAL) {
      errno = ENOTSUP;
    }
    return file;
  }
  // The file gets its name through /proc, which not everybody has.
  if (access(OwnPath(file.number()).text.data(), F_OK) == 0) return file;
  errno = ENOTSUP;
  return {};
}

int give_name(int descriptor, const std::filesystem::path& name) noexcept {
  const int failed =
      linkat(AT_FDCWD, OwnPath(descriptor).text.data(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW);
  return failed == 0 ? 0 : errno;
}

int rename_to_new(int, const std::filesystem::path& from,
                  const std::filesystem::path& to) noexcept {
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  if (link(from.c_str(), to.c_str()) != 0) return errno;
  unlink(from.c_str());
  return 0;
}

int rename_over(int, const std::filesystem::path& from, const std::filesystem::path& to,
                int) noexcept {
  return rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

std::filesystem::path link_target(const std::filesystem::path& path, std::error_code& not_a_link) {
  return std::filesystem::read_symlink(path, not_a_link);
}

void remove_name(const std::filesystem::path& name) noexcept {
  unlink(name.c_str());
}

}  // namespace bloomery::os
