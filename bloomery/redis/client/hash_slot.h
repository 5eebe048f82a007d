// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace bloomery::redis {

constexpr std::uint16_t kHashSlots = 16384;

// Returns the slot of a key in a cluster: the CRC16 of the key, or of what stands between the first
// { and the next }, if anything does.
std::uint16_t hash_slot(std::string_view key) noexcept;

}  // namespace bloomery::redis
