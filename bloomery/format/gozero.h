// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "bloomery/filter/probe_scheme.h"
#include "bloomery/format/format.h"
#include "bloomery/hash/murmur3.h"

// core/bloom of go-zero: 14 hashes over a bitmap of Redis. The i-th is the first word of murmur3
// x64-128 of the key and one more byte, i. The bitmap is a string that SETBIT wrote: bit i is bit
// 7 - (i mod 8) of byte i / 8, and it ends with the last byte that has one set. The service says
// how many bits there are; go-zero has no sizing.
namespace bloomery {

struct GozeroProbes {
  static constexpr FilterKind kKind = FilterKind::gozero;

  explicit GozeroProbes(const FilterParameters&) noexcept {}
  // The fewest bits that keep the rate with 14 probes.
  static Geometry geometry(const FilterOptions& options);
  static void check(const FilterParameters& parameters);

  static std::uint64_t position(Key key, std::uint32_t i, std::uint64_t bit_count) noexcept {
    const auto last = static_cast<std::uint8_t>(i);
    return murmur3_128_appended(key, last).h1 % bit_count;
  }
};

namespace gozero {

extern const Format kFormat;

}  // namespace gozero
}  // namespace bloomery
