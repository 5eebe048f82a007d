// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "bloomery/filter/probe_scheme.h"
#include "bloomery/format/format.h"

// A JavaScript class from an article, with eight hashes of 2^30 bits:
//
//   result = seed * result + value.charAt(i)     for every i; at last (2^30 - 1) & result
//
// charAt gives a text, so + appends it, and the next step reads the text as a number again: "12"
// comes to "01", then "32". One character that is no digit makes NaN of it, and NaN & anything is
// 0: all such keys are the one bit 0. Digits reach Infinity, and with that 0 as well, after 13 or
// more.
//
// The sane variant is what was meant: charCodeAt, either in int32 or in doubles all the way.
//
// The class keeps its bits in memory only. Here they are bytes as of a BitSet: bit i is bit
// (i mod 8), from the least significant, of byte i / 8, up to the last byte that has one set.
namespace bloomery {

struct JavascriptProbes {
  static constexpr FilterKind kKind = FilterKind::javascript;
  static constexpr std::uint64_t kEvenBits = 0;
  static constexpr std::array<std::uint32_t, 8> kSeeds{3, 5, 7, 11, 13, 31, 37, 61};

  explicit JavascriptProbes(const FilterParameters&) noexcept {}
  static Geometry geometry(const FilterOptions& options);
  static void check(const FilterParameters& parameters);

  static std::uint64_t position(Key key, std::uint32_t i, std::uint64_t bit_count) noexcept;
};

struct JavascriptSaneProbes {
  static constexpr FilterKind kKind = FilterKind::javascript_sane;
  static constexpr std::uint64_t kEvenBits = 0;
  static constexpr std::uint32_t kInDoubles = 1;  // FilterParameters::foreign_options

  explicit JavascriptSaneProbes(const FilterParameters& parameters) noexcept
      : in_doubles_(parameters.foreign_options == kInDoubles) {}
  static Geometry geometry(const FilterOptions& options);
  static void check(const FilterParameters& parameters);

  std::uint64_t position(Key key, std::uint32_t i, std::uint64_t bit_count) const noexcept;

 private:
  bool in_doubles_;
};

namespace javascript {

inline constexpr std::uint64_t kUsualBits = std::uint64_t{1} << 30;

extern const Format kFormat;
extern const Format kSaneFormat;

}  // namespace javascript
}  // namespace bloomery
