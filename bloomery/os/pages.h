// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace bloomery::os {

inline constexpr std::uint64_t kHugePage = std::uint64_t{2} << 20;

// The bytes from which on memory is worth pages of its own; the most there are where there are no
// pages.
extern const std::uint64_t kWorthPages;

// Returns zeroed pages for so many bytes, a multiple of kHugePage, that begin on a huge page where
// the system can do that, and advises huge ones. Null where there is no memory.
void* take_pages(std::uint64_t byte_count) noexcept;
void give_back_pages(void* pages, std::uint64_t byte_count) noexcept;

}  // namespace bloomery::os
