// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "bloomery/hash/hash_pair.h"
#include "bloomery/hash/key.h"

// MurmurHash3 (Appleby, public domain), which filters of other systems are made with. Not for keys
// that strangers choose: collisions for it are easily made.
namespace bloomery {

// The x64 variant, 128 bits: its first and second word. The length of a key takes part as 64 bits.
HashPair murmur3_128(Key key, std::uint32_t seed = 0) noexcept;

// Returns murmur3_128() of the key's bytes and the byte `last` behind them.
HashPair murmur3_128_appended(Key key, std::uint8_t last, std::uint32_t seed = 0) noexcept;

// The x86 variant, 32 bits.
std::uint32_t murmur3_32(Key key, std::uint32_t seed = 0) noexcept;

}  // namespace bloomery
