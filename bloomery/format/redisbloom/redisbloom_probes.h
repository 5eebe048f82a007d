// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "bloomery/bits/modulus.h"
#include "bloomery/filter/parameters.h"
#include "bloomery/filter/probe_scheme.h"
#include "bloomery/hash/murmur2.h"

// RedisBloom's probes: double hashing, whose second hash is seeded with the first.
namespace bloomery::redisbloom {

// The size of a first link; see redisbloom_filter.h.
Geometry first_geometry(FilterKind kind, const FilterOptions& options);

// Probes of all filters but the oldest: MurmurHash64A, in 64 bits.
struct Probes {
  static constexpr FilterKind kKind = FilterKind::redisbloom;

  explicit Probes(const FilterParameters&) noexcept {}

  static Geometry geometry(const FilterOptions& options) { return first_geometry(kKind, options); }

  static HashPair hash(Key key) noexcept {
    constexpr std::uint64_t kSeed = 0xc6a4a7935bd1e995;
    const std::uint64_t first = murmur2_64a(key, kSeed);
    return {first, murmur2_64a(key, first)};
  }
  static std::uint64_t position(HashPair hash, std::uint32_t i, const Modulus& bit_count) noexcept {
    return (hash.h1 + i * hash.h2) % bit_count;
  }
};

// Probes of rebloom up to 1.1.0: MurmurHash2, in 32 bits.
struct Probes32 {
  static constexpr FilterKind kKind = FilterKind::redisbloom_32;

  explicit Probes32(const FilterParameters&) noexcept {}

  static Geometry geometry(const FilterOptions& options) { return first_geometry(kKind, options); }

  static HashPair hash(Key key) noexcept {
    constexpr std::uint32_t kSeed = 0x9747b28c;
    const std::uint32_t first = murmur2_32(key, kSeed);
    return {first, murmur2_32(key, first)};
  }
  static std::uint64_t position(HashPair hash, std::uint32_t i, std::uint64_t bit_count) noexcept {
    return static_cast<std::uint32_t>(hash.h1 + i * hash.h2) % bit_count;
  }
};

static_assert(ProbeScheme<Probes> && ProbeScheme<Probes32>);

}  // namespace bloomery::redisbloom
