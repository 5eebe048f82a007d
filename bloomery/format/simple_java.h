// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "bloomery/filter/probe_scheme.h"
#include "bloomery/format/format.h"
#include "bloomery/format/unit_hash.h"

// "SimpleBloomFilter", a Java class that was copied from article to article: a BitSet of 2^25 bits
// and eight hashes h = factor h + char, of which the low bits count. Its bytes are those of
// BitSet.toByteArray(): bit i is bit (i mod 8), from the least significant, of byte i / 8, and they
// end with the last byte that has one set.
namespace bloomery {

struct SimpleJavaProbes {
  static constexpr FilterKind kKind = FilterKind::simple_java;
  static constexpr std::uint64_t kEvenBits = 0;
  static constexpr std::array<std::uint32_t, 8> kFactors{3, 5, 7, 11, 13, 17, 19, 23};

  explicit SimpleJavaProbes(const FilterParameters&) noexcept {}
  static Geometry geometry(const FilterOptions& options);
  static void check(const FilterParameters& parameters);

  static std::uint64_t position(Key key, std::uint32_t i, std::uint64_t bit_count) noexcept {
    return unit_hash(key, kFactors[i]) & (bit_count - 1);
  }
};

namespace simple_java {

inline constexpr std::uint64_t kUsualBits = std::uint64_t{1} << 25;

extern const Format kFormat;

}  // namespace simple_java
}  // namespace bloomery
