// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace bloomery::os {

// How many bytes this process may still write in a folder. Nothing where its file system does not
// say.
std::optional<std::uint64_t> free_bytes_in(const std::filesystem::path& folder) noexcept;

// The size of the largest file that this process may write (ulimit -f), where there is a limit.
// Writing past it may end the process.
std::optional<std::uint64_t> most_file_bytes() noexcept;

}  // namespace bloomery::os
