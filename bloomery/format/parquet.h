// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "bloomery/filter/any_filter.h"
#include "bloomery/format/format.h"
#include "bloomery/format/one_line_layout.h"
#include "bloomery/hash/xxh64.h"

// The split-block Bloom filter of Apache Parquet (parquet-format, BloomFilter.md): what stands at a
// column chunk's bloom_filter_offset, and nothing else of the file. A header in Thrift's compact
// protocol, and the bits:
//
//   BloomFilterHeader { 1: i32 numBytes, 2: algorithm { 1: BLOCK {} }, 3: hash { 1: XXHASH {} },
//                       4: compression { 1: UNCOMPRESSED {} } }
//
//   +----+-------------------+-------------+-------------+-------------+----+------------------+
//   | 15 | numBytes, zigzag  | 1c 1c 00 00 | 1c 1c 00 00 | 1c 1c 00 00 | 00 | blocks, 32B each |
//   |    | varint, 1B to 5B  |             |             |             |    |                  |
//   +----+-------------------+-------------+-------------+-------------+----+------------------+
//
// A block is eight lanes of 32 bits, little-endian; a key sets one bit in each lane of one block.
//
// A key is a value in Parquet's PLAIN encoding without its length: the bytes of a text, an INT32 as
// 4 and an INT64 as 8 little-endian bytes.
namespace bloomery::parquet {

struct SplitBlock {
  static constexpr FilterKind kKind = FilterKind::parquet;
  static constexpr std::uint32_t kLineBits = 256;
  static constexpr std::uint32_t kLanes = 8;
  static constexpr double kLineHashes = 0x1p32;
  static constexpr std::array<std::uint32_t, kLanes> kSalts{0x47b6137b, 0x44974d91, 0x8824ad5b,
                                                            0xa2b7289d, 0x705495c7, 0x2df1424b,
                                                            0x9efc4947, 0x5c6bfb31};

  // The size that Arrow takes: the specification's -8 n / ln(1 - p^(1/8)) bits, and then the next
  // power of two of bytes. Where that misses the rate, since the formula takes all blocks for
  // equally full, twice as many. Throws std::invalid_argument beyond 128 MiB, where Parquet's
  // writers stop.
  static Geometry geometry(const FilterOptions& options);
  static void check(const FilterParameters& parameters);

  static HashPair hash(Key key) noexcept { return {xxh64(key), 0}; }
  static std::uint64_t line(HashPair hash, std::uint64_t line_count) noexcept {
    return ((hash.h1 >> 32) * line_count) >> 32;
  }
  static std::uint32_t bit(HashPair hash, std::uint32_t i) noexcept {
    return 32 * i + ((static_cast<std::uint32_t>(hash.h1) * kSalts[i]) >> 27);
  }
  static double line_rate(const BitView& line, std::uint32_t probes) noexcept {
    return bloomery::line_rate(line, probes);
  }
};

// Throws FormatError, naming offset and field. The capacity of the result is what its size fits
// best.
AnyFilter decode(std::span<const std::byte> bytes);

extern const Format kFormat;

}  // namespace bloomery::parquet
