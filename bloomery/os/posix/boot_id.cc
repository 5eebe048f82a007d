// SPDX-License-Identifier: Apache-2.0
#include "bloomery/os/boot_id.h"

#include <fstream>

namespace bloomery::os {

const char* const kBootIdSource = "/proc/sys/kernel/random/boot_id";

std::string boot_id() {
  std::ifstream file(kBootIdSource);
  std::string id;
  std::getline(file, id);
  return id;
}

}  // namespace bloomery::os
