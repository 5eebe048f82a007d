// SPDX-License-Identifier: Apache-2.0
#include "bloomery/os/open_file.h"

#include <fcntl.h>
#include <unistd.h>

namespace bloomery::os {

void close_file(int descriptor) noexcept {
  ::close(descriptor);
}

FileDescriptor open_file(const std::filesystem::path& path, Access access) noexcept {
  const int flags =
      (access == Access::read ? O_RDONLY : O_RDWR) | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  return FileDescriptor(::open(path.c_str(), flags));
}

FileDescriptor open_or_create(const std::filesystem::path& path,
                              std::uint32_t permissions) noexcept {
  const int flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  return FileDescriptor(::open(path.c_str(), flags, static_cast<mode_t>(permissions)));
}

FileDescriptor open_folder(const std::filesystem::path& path) noexcept {
  return FileDescriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

}  // namespace bloomery::os
