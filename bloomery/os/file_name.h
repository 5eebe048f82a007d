// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <system_error>

#include "bloomery/os/file_descriptor.h"

// How a new file gets its name, in one step: the name leads to the old file or to the whole new
// one. Where a number of an error is returned, 0 is success.
namespace bloomery::os {

// Opens a new file without a name in a folder, for reading and writing. Not open: errno says why,
// ENOTSUP where the file system or the system has none, or could not name one later.
FileDescriptor open_nameless(const std::filesystem::path& folder,
                             std::uint32_t permissions) noexcept;

// Names such a file. EEXIST where the name is taken.
int give_name(int descriptor, const std::filesystem::path& name) noexcept;

// Renames an open file to a name that nobody has. EEXIST where the name is taken.
int rename_to_new(int descriptor, const std::filesystem::path& from,
                  const std::filesystem::path& to) noexcept;

// Renames an open file over the one that is open as `replaced`, which has the name `to` and is
// locked by it. After it nobody uses `replaced` but to close it.
int rename_over(int descriptor, const std::filesystem::path& from, const std::filesystem::path& to,
                int replaced) noexcept;

// Returns what a link says, as it says it or whole. `not_a_link` is set for what is none.
std::filesystem::path link_target(const std::filesystem::path& path, std::error_code& not_a_link);

// Removes a name, whatever has it.
void remove_name(const std::filesystem::path& name) noexcept;

}  // namespace bloomery::os
