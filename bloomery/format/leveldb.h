// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bloomery/filter/any_filter.h"
#include "bloomery/filter/narrow_hash.h"
#include "bloomery/filter/parameters.h"
#include "bloomery/filter/probe_scheme.h"
#include "bloomery/format/format.h"

// The bytes that LevelDB's built-in filter policy (leveldb.BuiltinBloomFilter2) keeps for a block:
//
//   +--------------------------+-----------+
//   | bits, 8 bytes or more    | probes 1B |
//   +--------------------------+-----------+
//
// Bit i is bit (i mod 8), from the least significant, of byte i / 8; m is 8 times the bytes. Fewer
// than two bytes hold no key. Where the last byte is 0 or above 30 LevelDB answers "maybe" to every
// key, and so do we: such a filter is read with all its bits set.
namespace bloomery::leveldb_format {

// LevelDB's 32-bit hash with the seed of its filters. Not uniform, and 32 bits: of n keys in one
// filter a rate below n / 2^32 is never reached.
std::uint32_t hash(Key key) noexcept;

// The largest probe count that is one.
inline constexpr std::uint32_t kMostProbes = 30;

struct Probes {
  static constexpr FilterKind kKind = FilterKind::leveldb;
  // h + 2 d is 65537 times the sum of the halves of h, less a carry or two: half as many values
  // again as such sums have.
  static constexpr NarrowHash kNarrowHash{
      .hashes = 0x1p32, .probe_values = 0x1p32, .third_values = 1.5 * 0x1p17};

  explicit Probes(const FilterParameters&) noexcept {}

  // Takes the fewest bits a key, a whole number, that keep the rate.
  static Geometry geometry(const FilterOptions& options);
  static void check(const FilterParameters& parameters);

  static HashPair hash(Key key) noexcept { return {leveldb_format::hash(key), 0}; }
  // Gives the hash of a trial: h + i d has factors in common with 2^32 - 1, so its probes are
  // uneven.
  static HashPair numbered_hash(std::uint64_t number) noexcept { return {number, 0}; }
  static std::uint64_t position(HashPair hash, std::uint32_t i, std::uint64_t bit_count) noexcept {
    const auto h = static_cast<std::uint32_t>(hash.h1);
    const std::uint32_t delta = (h >> 17) | (h << 15);
    return (h + i * delta) % bit_count;
  }
};

// The geometry that NewBloomFilterPolicy(bits_per_key) gives so many keys. Throws
// std::invalid_argument for 0 bits and for more than 2^60 in all.
Geometry geometry(std::uint64_t key_count, std::uint64_t bits_per_key);

AnyFilter decode(std::span<const std::byte> bytes);

extern const Format kFormat;

}  // namespace bloomery::leveldb_format
