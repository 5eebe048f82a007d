// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace bloomery::os {

// Returns whether this process itself holds a lock (file_lock.h) of the file, as far as /proc
// tells; where it does not, false. For messages: a lock that a parent holds over a descriptor that
// it shares with this process counts, too.
bool is_locked_here(const std::filesystem::path& path) noexcept;

}  // namespace bloomery::os
