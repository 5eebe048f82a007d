// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bloomery/filter/any_filter.h"
#include "bloomery/format/format.h"
#include "bloomery/format/one_line_layout.h"
#include "bloomery/format/rocksdb_hash.h"

// The full filter block of RocksDB's NewBloomFilterPolicy since format_version 5 ("fast local
// Bloom"):
//
//   +------------------+----+----+-----------+-------+
//   | lines, 64B each  | ff | 00 | probes 1B | 00 00 |
//   +------------------+----+----+-----------+-------+
//
// Bit i of a line is bit (i mod 8), from the least significant, of its byte i / 8. Up to five bytes
// hold no key. The byte ff is where older filters have their probes and Ribbon filters fe: those
// are refused.
namespace bloomery::rocksdb_format {

struct FastLocal {
  static constexpr FilterKind kKind = FilterKind::rocksdb;
  static constexpr std::uint32_t kLineBits = 512;
  static constexpr double kLineHashes = 0x1p32;
  static constexpr std::uint32_t kMostProbes = 30;

  // Takes the fewest bits a key, in tenths, that keep the rate.
  static Geometry geometry(const FilterOptions& options);
  static void check(const FilterParameters& parameters);

  static HashPair hash(Key key) noexcept { return {rocksdb_format::hash(key), 0}; }
  static std::uint64_t line(HashPair hash, std::uint64_t line_count) noexcept {
    return (std::uint64_t{static_cast<std::uint32_t>(hash.h1)} * line_count) >> 32;
  }
  // The top nine bits of the high half times the i-th power of a constant.
  static std::uint32_t bit(HashPair hash, std::uint32_t i) noexcept;
  static double line_rate(const BitView& line, std::uint32_t probes) noexcept;
};

// The geometry that NewBloomFilterPolicy(bits_per_key) gives so many keys. Throws
// std::invalid_argument outside 1 to 100 bits a key, where RocksDB takes the nearest, and for more
// than 4 GiB.
Geometry geometry(std::uint64_t key_count, double bits_per_key);

AnyFilter decode(std::span<const std::byte> bytes);

extern const Format kFormat;

}  // namespace bloomery::rocksdb_format
