// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace bloomery::rdb {

// The checksum at the end of dumps: CRC-64 of Jones' polynomial ad93d23594c935a9, reflected, from 0
// and not inverted. Going on from `crc` is the same as of both pieces at once.
std::uint64_t crc64(std::span<const std::byte> bytes, std::uint64_t crc = 0) noexcept;

}  // namespace bloomery::rdb
