// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace bloomery::os {

enum class FileSort { file, folder, pipe, socket, device, other };

// Says which file of the machine it is, whatever its names are, as long as it is open.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t number = 0;

  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

// Numbers of a user and a group. Windows has no such numbers: both are 0.
struct Owner {
  std::uint32_t user = 0;
  std::uint32_t group = 0;

  friend bool operator==(const Owner&, const Owner&) = default;
};

struct FileStatus {
  FileSort sort = FileSort::other;
  std::uint64_t size = 0;
  FileIdentity identity;
  std::uint32_t permissions = 0;  // the twelve bits of chmod(2)
  Owner owner;
  std::uint64_t link_count = 0;
};

// Return what the system says of an open file, and of the file that a path names, links followed.
// Nothing: errno says why.
std::optional<FileStatus> status_of(int descriptor) noexcept;
std::optional<FileStatus> status_of(const std::filesystem::path& path) noexcept;

}  // namespace bloomery::os
