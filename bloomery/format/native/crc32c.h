// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace bloomery {

// CRC-32C (Castagnoli; RFC 3720 appendix B.4), as iSCSI, ext4 and leveldb use it. Finds every error
// of up to 32 bits in a row. `so_far` is the value of the bytes before, to go on from: the value of
// no bytes is 0. Uses the processor's instruction where there is one; the value is the same.
std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t so_far = 0) noexcept;

// The two ways, for those who compare them. The second may run only where
// has_crc32c_instruction().
std::uint32_t crc32c_by_table(std::span<const std::byte> bytes, std::uint32_t so_far) noexcept;
std::uint32_t crc32c_by_instruction(std::span<const std::byte> bytes,
                                    std::uint32_t so_far) noexcept;
bool has_crc32c_instruction() noexcept;

}  // namespace bloomery
