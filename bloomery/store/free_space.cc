// SPDX-License-Identifier: Apache-2.0
#include "bloomery/store/free_space.h"

#include <sys/statvfs.h>
#include <unistd.h>

#include "bloomery/store/messages.h"
#include "bloomery/text/grouped.h"

namespace bloomery {

std::optional<std::uint64_t> free_bytes_at(const std::filesystem::path& path) noexcept {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  struct statvfs of {};
  if (statvfs(folder.c_str(), &of) != 0 || of.f_blocks == 0) return std::nullopt;
  // Some blocks are kept for root.
  const std::uint64_t blocks = geteuid() == 0 ? of.f_bfree : of.f_bavail;
  std::uint64_t byte_count = 0;
  if (__builtin_mul_overflow(blocks, std::uint64_t{of.f_frsize}, &byte_count)) return std::nullopt;
  return byte_count;
}

void require_room_beside(const std::filesystem::path& path, std::uint64_t byte_count) {
  const auto free = free_bytes_at(path);
  if (!free || byte_count <= *free) return;
  throw_store_error(path, "a second copy of it does not fit beside it: " + grouped(byte_count) +
                              " bytes are needed, and " + grouped(*free) + " are free");
}

}  // namespace bloomery
