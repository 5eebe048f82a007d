// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "bloomery/hash/hash_pair.h"
#include "bloomery/hash/key.h"
#include "bloomery/hash/secret_key.h"

namespace bloomery {

// HighwayHash-128: a keyed pseudo-random function, so a stranger who sees answers but not the key
// cannot find keys that collide. Alakuijala, Cox and Wassenberg 2016, "Fast keyed
// hash/pseudo-random function using SIMD multiply and permute"; bit-compatible with
// google/highwayhash. h1, h2 are its two output words in order.
//
// Uses vector instructions where the processor has them; the hash is the same.
HashPair highway_hash_128(Key key, const SecretKey& secret) noexcept;
// Hashes keys[i] into out[i]; out has room for all.
void highway_hash_128_many(std::span<const Key> keys, const SecretKey& secret,
                           HashPair* out) noexcept;

// The two ways, for those who compare them. The second may run only where has_avx2().
HashPair highway_hash_128_by_words(Key key, const SecretKey& secret) noexcept;
HashPair highway_hash_128_by_avx2(const char* key, std::size_t size,
                                  const SecretKey& secret) noexcept;
bool has_avx2() noexcept;

}  // namespace bloomery
