// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace bloomery::os {

// Fills up to 256 bytes with what nobody can guess. False: errno says why.
bool draw_random(std::span<std::byte> bytes) noexcept;

}  // namespace bloomery::os
