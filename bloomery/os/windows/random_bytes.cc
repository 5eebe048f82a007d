// SPDX-License-Identifier: Apache-2.0
#include "bloomery/os/random_bytes.h"

#include "bloomery/os/windows/system_calls.h"
// Stands after windows.h, whose types it uses.
#include <bcrypt.h>

namespace bloomery::os {

bool draw_random(std::span<std::byte> bytes) noexcept {
  const NTSTATUS status =
      BCryptGenRandom(nullptr, reinterpret_cast<PUCHAR>(bytes.data()),
                      static_cast<ULONG>(bytes.size()), BCRYPT_USE_SYSTEM_PREFERRED_RNG);
  if (status >= 0) return true;
  errno = EIO;
  return false;
}

}  // namespace bloomery::os
