// SPDX-License-Identifier: Apache-2.0
#include "bloomery/bits/memory_limit.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <stdexcept>

#include "bloomery/os/machine_memory.h"
#include "bloomery/text/human_bytes.h"

namespace bloomery {

std::uint64_t memory_limit() noexcept {
  // No object is larger than a difference of pointers can be, whatever the machine has.
  static const std::uint64_t limit = std::min(
      os::machine_memory(), static_cast<std::uint64_t>(std::numeric_limits<std::ptrdiff_t>::max()));
  return limit;
}

void require_memory(std::uint64_t count, std::uint64_t unit) {
  const double wanted = static_cast<double>(count) * static_cast<double>(unit);
  if (wanted <= static_cast<double>(memory_limit())) return;
  throw std::invalid_argument("the bits need " + human_bytes(wanted) + "; this machine has " +
                              human_bytes(static_cast<double>(memory_limit())) + " of memory");
}

}  // namespace bloomery
