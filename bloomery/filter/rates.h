// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "bloomery/bits/bit_view.h"
#include "bloomery/filter/geometry.h"

// Chances and expectations of a filter, by formulas with names. A rate is the chance that a key
// which was never inserted is answered "maybe".
namespace bloomery {

// Mean and variance, over random key sets, of the rate a filter of this geometry really has.
struct RateMoments {
  double mean = 0;      // of the rate
  double variance = 0;  // of the rate
};

// rate_moments: the moments of the rate after `keys` distinct inserts. Classic: (1 - (1 -
// 1/m)^(kn))^k, Bloom 1970; Bose et al. 2008 show it slightly low for small m, which the variance
// covers. Blocked: keys on a line are Poisson, and given i keys on it each of the probed bits is
// set with 1 - (1 - k/b)^i, b being the bits of a line (Putze, Sanders, Singler 2007); two lines
// multiply.
RateMoments rate_moments(const Geometry& geometry, double keys) noexcept;

inline double predicted_rate(const Geometry& geometry, double keys) noexcept {
  return rate_moments(geometry, keys).mean;
}

// The rate of these very bits, whatever put them there: exact for independent probes. Reads the
// whole array.
double current_rate(const Geometry& geometry, const BitView& bits) noexcept;

// The chance that all of a key's `probes` probes of this line, of eight words or four, hit.
double line_rate(const BitView& line, std::uint32_t probes) noexcept;

// Share of bits set after `keys` distinct inserts, and its inverse: how many distinct keys set
// `ones` bits (Swamidass and Baldi 2007). A full array answers for one half bit less, a finite
// number.
double expected_fill_ratio(const Geometry& geometry, double keys) noexcept;
double estimate_cardinality(const Geometry& geometry, std::uint64_t ones) noexcept;

// Probes in the first and in the second line of a key of a two-line geometry; all in the first of
// one line.
constexpr std::uint32_t probes_in_line(const Geometry& geometry, std::uint32_t line) noexcept {
  return (geometry.probe_count + geometry.lines_per_key - 1 - line) / geometry.lines_per_key;
}

}  // namespace bloomery
