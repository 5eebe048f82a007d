// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "bloomery/hash/key.h"

// MurmurHash2 (Appleby, public domain), which filters of other systems are made with. Not for keys
// that strangers choose: keys that collide under every seed are known.
namespace bloomery {

// The 64-bit variant for 64-bit machines.
std::uint64_t murmur2_64a(Key key, std::uint64_t seed) noexcept;

// The original, 32 bits.
std::uint32_t murmur2_32(Key key, std::uint32_t seed) noexcept;

}  // namespace bloomery
