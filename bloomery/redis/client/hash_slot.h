// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace bloomery::redis {

constexpr std::uint16_t kHashSlots = 16384;

// Returns what stands between the key's first { and the next }; the key, if nothing does.
std::string_view hash_tag(std::string_view key) noexcept;

// Returns the slot of a key in a cluster: the CRC16 of its hash_tag().
std::uint16_t hash_slot(std::string_view key) noexcept;

}  // namespace bloomery::redis
