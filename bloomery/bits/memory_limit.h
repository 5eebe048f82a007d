// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace bloomery {

// Bytes of memory this process may hope for: the machine's, or its control group's where that is
// less.
std::uint64_t memory_limit() noexcept;

// Throws std::invalid_argument when count * unit bytes overflow or exceed memory_limit().
void require_memory(std::uint64_t count, std::uint64_t unit);

}  // namespace bloomery
