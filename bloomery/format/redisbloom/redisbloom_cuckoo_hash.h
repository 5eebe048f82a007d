// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "bloomery/hash/murmur2.h"

// The meaning of a key in RedisBloom's cuckoo filters: a fingerprint of one byte, and two buckets,
// each of which the fingerprint gives of the other. A bucket is a hash modulo the buckets there
// are, a power of two.
//
//               since 2.2               up to 2.0 (RDB encoding versions up to 3)
//   hash        MurmurHash64A, seed 0   MurmurHash2, 32 bits, seed 0
//   fingerprint hash mod 255, plus 1    the upper byte, or 7 where that is 0
//   buckets     hash and hash xor fingerprint * 0x5bd1e995
namespace bloomery::redisbloom {

enum class CuckooHash : std::uint8_t { murmur_64, murmur_32 };

inline std::uint64_t cuckoo_hash(CuckooHash kind, Key key) noexcept {
  return kind == CuckooHash::murmur_64 ? murmur2_64a(key, 0) : murmur2_32(key, 0);
}

inline std::uint8_t fingerprint_of(CuckooHash kind, std::uint64_t hash) noexcept {
  if (kind == CuckooHash::murmur_64) return static_cast<std::uint8_t>(hash % 255 + 1);
  const auto upper = static_cast<std::uint8_t>(hash >> 24);
  return upper == 0 ? 7 : upper;
}

inline std::uint64_t other_bucket(std::uint64_t bucket, std::uint8_t fingerprint) noexcept {
  return bucket ^ fingerprint * std::uint64_t{0x5bd1e995};
}

}  // namespace bloomery::redisbloom
