// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>

namespace bloomery::cli {

// The process of `bloomery follow` that has this file; nothing where another program has it, or
// the system does not tell: a process may be in a container of its own.
std::optional<pid_t> follower_of(const std::filesystem::path& file);

}  // namespace bloomery::cli
