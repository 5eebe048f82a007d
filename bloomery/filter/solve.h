// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "bloomery/filter/geometry.h"
#include "bloomery/filter/parameters.h"

// The four numbers of a filter from any two of them, by the formulas of sizing.h and rates.h.
namespace bloomery {

// The kinds that it knows; of others the size is not one formula of these four.
inline constexpr std::array kSolvableKinds{FilterKind::blocked, FilterKind::classic};

// Known: the numbers that are given. Those that are not are to be found.
struct Known {
  std::optional<std::uint64_t> capacity = std::nullopt;
  std::optional<double> false_positive_rate = std::nullopt;
  std::optional<std::uint64_t> bit_count = std::nullopt;
  std::optional<std::uint32_t> probe_count = std::nullopt;
};

struct Solution {
  std::uint64_t capacity = 0;
  Geometry geometry;          // bit_count is the given one without what fills no whole unit
  double predicted_rate = 0;  // at capacity
};

// Capacity and rate, with or without probes: the fewest bits. Capacity and bits: the lowest rate.
// Rate and bits: the largest capacity that keeps the rate. Probes and one of capacity and bits: the
// size at which that many probes are best, where about half of the bits are set. Three or four
// given must agree: std::invalid_argument says why they do not, also for fewer than two, for rate
// and probes alone (they leave the size open), for what this kind cannot have, and for other kinds.
Solution solve(FilterKind kind, const Known& known);

}  // namespace bloomery
