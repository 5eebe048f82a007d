// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bloomery/filter/fuse_shape.h"
#include "bloomery/hash/hash_pair.h"

namespace bloomery {

// The bits of a fingerprint that is matched by chance at `rate` at most: the rate is halved with
// each. Nothing where it takes more than a fingerprint can have.
std::optional<std::uint32_t> fingerprint_bits_for(double rate) noexcept;

// The shape that is tried first for so many keys, of which there is at least one. More than 2^32
// are beyond it: nothing.
std::optional<FuseShape> fuse_shape_for(std::uint64_t key_count, std::uint32_t fingerprint_bits);

// Sets the slots so that each key has its fingerprint. `hashes` are distinct and ordered by the
// first bits of h1, so that neighbours share their segments; `bytes` are zeros, seven more than the
// slots take. False where these keys cannot be told apart in this shape: other pairs of them, or
// more slots, may do. Takes 4 bytes of memory a key and 8 a slot, twice that for fingerprints of
// more than 18 bits.
bool build_fuse(const FuseShape& shape, std::span<const HashPair> hashes,
                std::span<std::byte> bytes);

}  // namespace bloomery
