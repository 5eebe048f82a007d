// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "bloomery/filter/narrow_hash.h"
#include "bloomery/filter/probe_scheme.h"
#include "bloomery/format/format.h"
#include "bloomery/hash/key.h"

// A PHP class from an article: the hashes BKDR, JS and SDBM over a bitmap of Redis, that is a
// string of sizeInKB * 1024 bytes in which bit i is bit 7 - (i mod 8) of byte i / 8. Its add()
// leaves the string shorter, its reset() writes it whole, and so does encode.
//
// PHP's ints become floats where they overflow, and are cast back. A float has 53 bits, so what a
// long key's last characters add is rounded away: BKDR ignores what follows about nine characters,
// and many keys share all three probes. For sharing what is there, not for anything new.
namespace bloomery {

struct PhpProbes {
  static constexpr FilterKind kKind = FilterKind::php;
  static constexpr NarrowHash kNarrowHash{.probe_values = 0xffffffff};
  static constexpr std::uint64_t kEvenBits = 0;

  explicit PhpProbes(const FilterParameters&) noexcept {}
  static Geometry geometry(const FilterOptions& options);
  static void check(const FilterParameters& parameters);

  // The three are 32 bits each: BKDR and JS in h1, SDBM in h2.
  HashPair hash(Key key) const noexcept;
  static std::uint64_t position(HashPair hash, std::uint32_t i, std::uint64_t bit_count) noexcept {
    const std::uint64_t hashes[] = {hash.h1 & 0xffffffff, hash.h1 >> 32, hash.h2};
    return hashes[i] % bit_count;
  }
};

namespace php {

std::uint32_t bkdr_hash(Key key) noexcept;
std::uint32_t js_hash(Key key) noexcept;
std::uint32_t sdbm_hash(Key key) noexcept;

// How many of the keys, which are counted once each, the hashes tell apart.
struct KeyQuality {
  std::uint64_t keys = 0;     // distinct
  std::uint64_t triples = 0;  // distinct sets of positions among them

  // 1 where every key has positions of its own; good hashes stay near it.
  double share() const noexcept {
    return keys == 0 ? 1 : static_cast<double>(triples) / static_cast<double>(keys);
  }
};

// Takes 40 bytes a key. A sample will do, of keys that follow one another.
KeyQuality measure_quality(std::span<const Key> keys, std::uint64_t bit_count);

// The quality as a sentence with its figures.
std::string describe(const KeyQuality& quality);

extern const Format kFormat;

}  // namespace php
}  // namespace bloomery
