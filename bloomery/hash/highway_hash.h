#pragma once

#include "bloomery/hash/hash_pair.h"
#include "bloomery/hash/key.h"
#include "bloomery/hash/secret_key.h"

namespace bloomery {

// HighwayHash-128: a keyed pseudo-random function, so a stranger who sees answers but not the key
// cannot find keys that collide. Alakuijala, Cox and Wassenberg 2016, "Fast keyed
// hash/pseudo-random function using SIMD multiply and permute"; bit-compatible with
// google/highwayhash. h1, h2 are its two output words in order.
HashPair highway_hash_128(Key key, const SecretKey& secret) noexcept;

}  // namespace bloomery
