// SPDX-License-Identifier: Apache-2.0
#include "bloomery/os/file_system.h"

#include <sys/vfs.h>

namespace bloomery::os {

std::optional<std::uint32_t> file_system_number(int descriptor) noexcept {
  struct statfs about {};
  if (fstatfs(descriptor, &about) != 0) return std::nullopt;
  return static_cast<std::uint32_t>(about.f_type);
}

}  // namespace bloomery::os
