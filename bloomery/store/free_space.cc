// SPDX-License-Identifier: Apache-2.0
#include "bloomery/store/free_space.h"

#include "bloomery/os/disk_space.h"
#include "bloomery/store/messages.h"
#include "bloomery/text/grouped.h"

namespace bloomery {

std::optional<std::uint64_t> free_bytes_at(const std::filesystem::path& path) noexcept {
  return os::free_bytes_in(path.has_parent_path() ? path.parent_path() : ".");
}

void require_room_beside(const std::filesystem::path& path, std::uint64_t byte_count) {
  const auto free = free_bytes_at(path);
  if (!free || byte_count <= *free) return;
  throw_store_error(path, "a second copy of it does not fit beside it: " + grouped(byte_count) +
                              " bytes are needed, and " + grouped(*free) + " are free");
}

}  // namespace bloomery
