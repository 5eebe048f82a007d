// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace bloomery {

// Returns whether this process itself holds a lock (flock) of the file, as far as /proc tells;
// false where /proc does not tell. For messages: a lock that a parent holds over a descriptor that
// it shares with this process counts, too.
bool is_locked_here(const std::filesystem::path& path) noexcept;

}  // namespace bloomery
