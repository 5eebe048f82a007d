// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "bloomery/bits/modulus.h"
#include "bloomery/errors.h"
#include "bloomery/filter/kind.h"
#include "bloomery/filter/narrow_hash.h"
#include "bloomery/filter/parameters.h"
#include "bloomery/filter/probe_scheme.h"
#include "bloomery/hash/murmur3.h"

// The two rules of Guava's BloomFilterStrategies, after Kirsch and Mitzenmacher ("MITZ"), over
// murmur3 x64-128 with seed 0. Others took the rules over, with arrays of any number of bits.
namespace bloomery {

// The sizing of those who keep the bits unrounded: truncated -n ln p / ln^2 2.
double mitz_bit_count(double capacity, double rate) noexcept;

// max(1, round(m / n ln 2)).
std::uint32_t mitz_probe_count(double bit_count, double capacity) noexcept;

inline constexpr std::uint32_t kMostGuavaProbes = 255;

// The geometry of Guava's own filters, whose bits fill whole longs. The number of probes is
// round(m / n ln 2) with `probes_from_size`, else round(-log2 p). Throws std::invalid_argument as
// guava::geometry does.
Geometry guava_geometry(std::uint64_t capacity, double rate, bool probes_from_size);

struct Mitz64Probes {
  static constexpr FilterKind kKind = FilterKind::mitz_64;

  explicit Mitz64Probes(const FilterParameters&) noexcept {}
  static Geometry geometry(const FilterOptions& options);

  HashPair hash(Key key) const noexcept { return murmur3_128(key); }
  static std::uint64_t position(HashPair hash, std::uint32_t i, const Modulus& bit_count) noexcept {
    return ((hash.h1 + i * hash.h2) & 0x7fffffffffffffff) % bit_count;
  }
};

struct Mitz32Probes {
  static constexpr FilterKind kKind = FilterKind::mitz_32;
  static constexpr NarrowHash kNarrowHash{.probe_values = 0x1p31};
  static constexpr std::uint64_t kEvenBits = std::uint64_t{1} << 31;  // its positions end there

  explicit Mitz32Probes(const FilterParameters&) noexcept {}
  static Geometry geometry(const FilterOptions& options) { return Mitz64Probes::geometry(options); }

  // The halves of the first word.
  HashPair hash(Key key) const noexcept { return murmur3_128(key); }
  static std::uint64_t position(HashPair hash, std::uint32_t i, std::uint64_t bit_count) noexcept {
    const auto low = static_cast<std::uint32_t>(hash.h1);
    const auto high = static_cast<std::uint32_t>(hash.h1 >> 32);
    std::uint32_t combined = low + (i + 1) * high;
    if (combined >> 31 != 0) combined = ~combined;
    return combined % bit_count;
  }
};

extern const Kind kMitz64Kind;
extern const Kind kMitz32Kind;

}  // namespace bloomery
