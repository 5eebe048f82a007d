// SPDX-License-Identifier: Apache-2.0
#include "bloomery/os/thread_barrier.h"

#include <cstdlib>

namespace bloomery {

bool has_thread_barrier() noexcept {
  return false;
}

void thread_barrier() noexcept {
  std::abort();
}

}  // namespace bloomery
