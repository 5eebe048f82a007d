// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace bloomery {

// XXH3-64 of the library xxHash, with seed 0: for checksums.
std::uint64_t xxh3_64(std::span<const std::byte> bytes) noexcept;

}  // namespace bloomery
