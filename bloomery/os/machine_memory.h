// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace bloomery::os {

// Bytes of memory: the machine's, or the control group's of this process where that is less. The
// largest number where the system does not say.
std::uint64_t machine_memory() noexcept;

}  // namespace bloomery::os
