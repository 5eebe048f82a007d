// SPDX-License-Identifier: Apache-2.0
#include "bloomery/os/own_locks.h"

namespace bloomery::os {

bool is_locked_here(const std::filesystem::path&) noexcept {
  return false;
}

}  // namespace bloomery::os
