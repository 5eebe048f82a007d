// SPDX-License-Identifier: Apache-2.0
#include "bloomery/os/file_system.h"

#include <cerrno>

namespace bloomery::os {

std::optional<std::uint32_t> file_system_number(int) noexcept {
  errno = ENOTSUP;
  return std::nullopt;
}

}  // namespace bloomery::os
