// SPDX-License-Identifier: Apache-2.0
#include "bloomery/os/at_fork.h"

#include <pthread.h>

namespace bloomery::os {

int at_fork(void (*before)(), void (*in_parent)(), void (*in_child)()) noexcept {
  return pthread_atfork(before, in_parent, in_child);
}

}  // namespace bloomery::os
