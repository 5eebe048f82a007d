// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "bloomery/filter/narrow_hash.h"
#include "bloomery/filter/probe_scheme.h"
#include "bloomery/format/format.h"
#include "bloomery/hash/key.h"

// ScrapyRedisBloomFilter (Python): the duplicate filter of crawlers over a bitmap of Redis. The
// i-th of its hashes is h = (i + 1) * h + c over the characters c of a text, in numbers without an
// end, mod 2^bit. The bitmap is a string that SETBIT wrote: bit j is bit 7 - (j mod 8) of byte
// j / 8, and it ends with the last byte that has one set. The crawler's settings say bit and
// hash_number; nothing that is stored does.
//
// The hash of seed 0 is the sum of the characters: its bits are a few thousand, which are soon all
// set, so it tells next to nothing. A power of two as factor drops what stands further to the left
// than 2^bit reaches.
namespace bloomery {

struct ScrapyProbes {
  static constexpr FilterKind kKind = FilterKind::scrapy;
  static constexpr NarrowHash kNarrowHash{.alike_probes = 1};
  static constexpr std::uint64_t kEvenBits = 0;

  explicit ScrapyProbes(const FilterParameters&) noexcept {}
  // The fewest bits, a power of two, that keep the rate with six hashes of which one tells nothing.
  static Geometry geometry(const FilterOptions& options);
  static void check(const FilterParameters& parameters);

  static std::uint64_t position(Key key, std::uint32_t i, std::uint64_t bit_count) noexcept;
};

namespace scrapy {

// A filter of 2^bit bits and as many hashes, of the lineage that the setting `hash` says: plain, or
// md5 (scrapy_md5.h).
struct Shape {
  FilterKind kind = FilterKind::scrapy;
  Geometry geometry{};
};
// Throws std::invalid_argument where a setting is missing, or above what a string of Redis or the
// lineage has.
Shape shape_of(const SettingsReader& read);

extern const Format kFormat;

}  // namespace scrapy
}  // namespace bloomery
