// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "bloomery/filter/probe_scheme.h"
#include "bloomery/format/format.h"

// Two Bloom filters of Hutool (Java), over string hashes of 32 bits.
//
// BitMapBloomFilter(m) has five bitmaps of m / 5 MiB, which is truncated, and one hash for each:
// String.hashCode(), ELF, JS, PJW, SDBM; position |hash mod size|. Here they are one array, one
// bitmap after another, and a file is their ints, little-endian, or the same as bytes: bit i is bit
// (i mod 8), from the least significant, of byte i / 8.
//
//   +-----------------+---------+--------+---------+----------+
//   | hashCode() size | ELF ... | JS ... | PJW ... | SDBM ... |    size: m / 5 MiB each
//   +-----------------+---------+--------+---------+----------+
//
// BitSetBloomFilter(c, n, k) is one BitSet of c k bits for n keys, and the first k of RS, JS, ELF,
// BKDR, AP, DJB, SDBM, PJW; position |hash mod c k|. A file is BitSet.toByteArray(): bits as above,
// up to the last byte that has one set.
namespace bloomery {

struct HutoolBitMapProbes {
  static constexpr FilterKind kKind = FilterKind::hutool_bitmap;
  static constexpr std::uint64_t kEvenBits = 0;

  explicit HutoolBitMapProbes(const FilterParameters&) noexcept {}
  // The fewest MiB that keep the rate.
  static Geometry geometry(const FilterOptions& options);
  static void check(const FilterParameters& parameters);

  static std::uint64_t position(Key key, std::uint32_t i, std::uint64_t bit_count) noexcept;
};

struct HutoolBitSetProbes {
  static constexpr FilterKind kKind = FilterKind::hutool_bitset;
  static constexpr std::uint64_t kEvenBits = 0;

  explicit HutoolBitSetProbes(const FilterParameters&) noexcept {}
  // The number of hashes, up to 8, that takes the fewest bits.
  static Geometry geometry(const FilterOptions& options);
  static void check(const FilterParameters& parameters);

  static std::uint64_t position(Key key, std::uint32_t i, std::uint64_t bit_count) noexcept;
};

namespace hutool {

// The geometry of the filter that a constructor makes. Throw std::invalid_argument if that filter
// cannot take keys: m below 5 divides by zero, c k must fit an int, and there are 8 hashes.
Geometry bitmap_geometry(std::uint64_t m);
Geometry bitset_geometry(std::uint64_t c, std::uint64_t k);

// BitSetBloomFilter.getFalsePositiveProbability() of one made for n keys.
double false_positive_probability(const Geometry& geometry, std::uint64_t n) noexcept;

extern const Format kBitMapFormat;
extern const Format kBitSetFormat;

}  // namespace hutool
}  // namespace bloomery
