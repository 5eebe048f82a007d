// SPDX-License-Identifier: Apache-2.0
#include "bloomery/os/processor.h"

#include "bloomery/os/windows/system_calls.h"

namespace bloomery::os {

bool has_arm_aes() noexcept {
#if defined(__aarch64__)
  return IsProcessorFeaturePresent(PF_ARM_V8_CRYPTO_INSTRUCTIONS_AVAILABLE) != 0;
#else
  return false;
#endif
}

}  // namespace bloomery::os
