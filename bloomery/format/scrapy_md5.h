// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "bloomery/filter/narrow_hash.h"
#include "bloomery/filter/probe_scheme.h"
#include "bloomery/hash/md5.h"

// The other lineage of crawlers' filters over a bitmap of Redis (Scrapy_Redis_Bloomfilter and what
// was copied from it): a key is the 32 hexadecimal digits of its MD5, and hash i of them is
// h = (s + 1) h + c from 0 over the digits' characters c, where s is the i-th of the seeds
// 5, 7, 11, 13, 31, 37, 61; position = h mod 2^bit. Filters of five hashes take the first five.
// The bitmap is that of scrapy.h. Its key in Redis ends with the number of its block, 0 where there
// is one block.
namespace bloomery {

struct ScrapyMd5Probes {
  static constexpr FilterKind kKind = FilterKind::scrapy_md5;
  static constexpr std::uint32_t kMostHashes = 7;
  // s + 1 = 32 drops all digits but the last ones: that probe has few values.
  static constexpr NarrowHash kNarrowHash{.alike_probes = 1};
  static constexpr std::uint64_t kEvenBits = 0;

  explicit ScrapyMd5Probes(const FilterParameters&) noexcept {}
  // The fewest bits, a power of two, that keep the rate with seven hashes.
  static Geometry geometry(const FilterOptions& options);
  static void check(const FilterParameters& parameters);

  static HashPair hash(Key key) noexcept { return md5(key); }
  static std::uint64_t position(HashPair digest, std::uint32_t i, std::uint64_t bit_count) noexcept;
};

}  // namespace bloomery
