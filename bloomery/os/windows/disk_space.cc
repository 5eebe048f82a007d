// SPDX-License-Identifier: Apache-2.0
#include "bloomery/os/disk_space.h"

#include "bloomery/os/windows/system_calls.h"

namespace bloomery::os {

std::optional<std::uint64_t> free_bytes_in(const std::filesystem::path& folder) noexcept {
  ULARGE_INTEGER free{};
  if (GetDiskFreeSpaceExW(folder.c_str(), &free, nullptr, nullptr) == 0) return std::nullopt;
  return free.QuadPart;
}

std::optional<std::uint64_t> most_file_bytes() noexcept {
  return std::nullopt;
}

}  // namespace bloomery::os
