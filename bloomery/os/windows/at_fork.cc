// SPDX-License-Identifier: Apache-2.0
#include "bloomery/os/at_fork.h"

namespace bloomery::os {

int at_fork(void (*)(), void (*)(), void (*)()) noexcept {
  return 0;
}

}  // namespace bloomery::os
