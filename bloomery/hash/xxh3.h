// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace bloomery {

// XXH3-64 of the library xxHash: for checksums.
std::uint64_t xxh3_64(std::span<const std::byte> bytes, std::uint64_t seed = 0) noexcept;

}  // namespace bloomery
