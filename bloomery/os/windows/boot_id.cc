// SPDX-License-Identifier: Apache-2.0
#include "bloomery/os/boot_id.h"

#include <cerrno>
#include <system_error>

namespace bloomery::os {

const char* const kBootIdSource = "Windows";

std::string boot_id() {
  throw std::system_error(ENOSYS, std::generic_category(),
                          "files that processes share are not supported on Windows");
}

}  // namespace bloomery::os
