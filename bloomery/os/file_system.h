// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace bloomery::os {

// The number of the file system that an open file is on, as statfs(2) and Linux's magic.h have
// them. Nothing: errno says why.
std::optional<std::uint32_t> file_system_number(int descriptor) noexcept;

}  // namespace bloomery::os
