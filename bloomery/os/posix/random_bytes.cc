// SPDX-License-Identifier: Apache-2.0
#include "bloomery/os/random_bytes.h"

#include <sys/random.h>

#include <cerrno>

namespace bloomery::os {

bool draw_random(std::span<std::byte> bytes) noexcept {
  // Requests of up to 256 bytes are never cut short once the generator is seeded (getrandom(2)).
  ssize_t got = 0;
  do {
    got = getrandom(bytes.data(), bytes.size(), 0);
  } while (got < 0 && errno == EINTR);
  return got == static_cast<ssize_t>(bytes.size());
}

}  // namespace bloomery::os
