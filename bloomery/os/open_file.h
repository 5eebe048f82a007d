// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>

#include "bloomery/os/file_descriptor.h"

// Files are opened in binary mode and for this process alone: a program that it starts has none of
// them. A descriptor that is not open: errno says why.
namespace bloomery::os {

enum class Access { read, read_write };

// Opens a file that exists. It does not wait for the other end of a pipe.
FileDescriptor open_file(const std::filesystem::path& path, Access access) noexcept;

// Opens a file for reading and writing, and makes it where there is none, with `permissions` as
// chmod(2) has them, less what the process takes from new files. Follows no link.
FileDescriptor open_or_create(const std::filesystem::path& path,
                              std::uint32_t permissions) noexcept;

// Opens a folder: for sync() and may_create_in().
FileDescriptor open_folder(const std::filesystem::path& path) noexcept;

}  // namespace bloomery::os
