// SPDX-License-Identifier: Apache-2.0
#include "bloomery/os/file_bytes.h"

#include <fcntl.h>
#include <unistd.h>

namespace bloomery::os {

std::ptrdiff_t read_at(int descriptor, std::span<std::byte> to, std::uint64_t offset) noexcept {
  return pread(descriptor, to.data(), to.size(), static_cast<off_t>(offset));
}

std::ptrdiff_t write_at(int descriptor, std::span<const std::byte> bytes,
                        std::uint64_t offset) noexcept {
  return pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(offset));
}

bool sync(int descriptor) noexcept {
  return fsync(descriptor) == 0;
}

bool empty(int descriptor) noexcept {
  return ftruncate(descriptor, 0) == 0;
}

int allocate(int descriptor, std::uint64_t byte_count) noexcept {
  return posix_fallocate(descriptor, 0, static_cast<off_t>(byte_count));
}

}  // namespace bloomery::os
