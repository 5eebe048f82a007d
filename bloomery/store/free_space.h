// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace bloomery {

// How many bytes this process may still write where `path` is or would be. Nothing where the file
// system does not say.
std::optional<std::uint64_t> free_bytes_at(const std::filesystem::path& path) noexcept;

// Throws StoreError, with both figures, where a file of `byte_count` bytes does not fit beside the
// file at `path`, as replacing that in one step needs it. Others may take the room afterwards.
void require_room_beside(const std::filesystem::path& path, std::uint64_t byte_count);

}  // namespace bloomery
