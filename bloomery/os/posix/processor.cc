// SPDX-License-Identifier: Apache-2.0
#include "bloomery/os/processor.h"

#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

namespace bloomery::os {

bool has_arm_aes() noexcept {
#if defined(__aarch64__)
  return (getauxval(AT_HWCAP) & HWCAP_AES) != 0;
#else
  return false;
#endif
}

}  // namespace bloomery::os
