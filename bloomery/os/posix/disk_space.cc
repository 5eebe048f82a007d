// SPDX-License-Identifier: Apache-2.0
#include "bloomery/os/disk_space.h"

#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace bloomery::os {

std::optional<std::uint64_t> free_bytes_in(const std::filesystem::path& folder) noexcept {
  struct statvfs of {};
  if (statvfs(folder.c_str(), &of) != 0 || of.f_blocks == 0) return std::nullopt;
  // Some blocks are kept for root.
  const std::uint64_t blocks = geteuid() == 0 ? of.f_bfree : of.f_bavail;
  std::uint64_t byte_count = 0;
  if (__builtin_mul_overflow(blocks, std::uint64_t{of.f_frsize}, &byte_count)) return std::nullopt;
  return byte_count;
}

std::optional<std::uint64_t> most_file_bytes() noexcept {
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return limit.rlim_cur;
}

}  // namespace bloomery::os
