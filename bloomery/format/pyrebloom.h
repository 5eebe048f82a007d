// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "bloomery/filter/probe_scheme.h"
#include "bloomery/format/format.h"

// pyreBloom (Python, C) over bitmaps of Redis. Each probe is MurmurHash64A under a seed of its own,
// mod m. The bits are spread over several strings where one cannot hold them:
//
//   key.0, key.1, ...     bit d is bit d mod (2^32 - 1) of the string d / (2^32 - 1)
//
// Bit i of a string is bit 7 - (i mod 8) of byte i / 8, and a string ends with the last byte that
// has one set. A file has the strings one after another, each but the last filled up with zeros to
// the 536,870,912 bytes of 2^32 bits.
namespace bloomery {

struct PyrebloomProbes {
  static constexpr FilterKind kKind = FilterKind::pyrebloom;

  explicit PyrebloomProbes(const FilterParameters&) noexcept {}
  static Geometry geometry(const FilterOptions& options);

  static std::uint64_t position(Key key, std::uint32_t i, std::uint64_t bit_count) noexcept;
};

namespace pyrebloom {

inline constexpr std::uint64_t kPartBits = 0xffffffff;

// m = -ln p n / ln^2 2, truncated; k = ceil(ln 2 m / n). Throws std::invalid_argument where that
// gives no bit or more than 255 probes, and for more than 2^32 - 1 keys.
Geometry geometry(std::uint64_t capacity, double rate);

// The strings of a filter: part p is that of the key KEY.p. `part_bits` is less in tests only.
std::uint64_t part_count(std::uint64_t bit_count, std::uint64_t part_bits = kPartBits) noexcept;
void encode_part(const FilterContents& contents, std::uint64_t part, const ByteSink& sink,
                 std::uint64_t part_bits = kPartBits);

using Parts = std::span<const std::span<const std::byte>>;

// Decodes strings that may end early; strings missing at the end are empty. Throws FormatError for
// more strings or bits than the geometry has.
AnyFilter decode_parts(const FilterParameters& parameters, Parts parts,
                       std::uint64_t part_bits = kPartBits);

extern const Format kFormat;

}  // namespace pyrebloom
}  // namespace bloomery
