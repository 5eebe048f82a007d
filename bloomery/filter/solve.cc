// SPDX-License-Identifier: Apache-2.0
#include "bloomery/filter/solve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

#include "bloomery/bits/bit_storage.h"
#include "bloomery/filter/options.h"
#include "bloomery/filter/rates.h"
#include "bloomery/filter/sizing.h"

namespace bloomery {
namespace {

constexpr std::uint64_t kMostBitsSolved = std::uint64_t{1} << 60;

std::string short_number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g", value);
  return text.data();
}

[[noreturn]] void refuse(const std::string& why) {
  throw std::invalid_argument(why);
}

// Names the kind without the table of all kinds, which would bring all filters into the
// calculator's page.
std::string name_of(FilterKind kind) {
  return kind == FilterKind::classic ? "classic" : "blocked";
}

Geometry geometry_of(FilterKind kind, const FilterOptions& options) {
  return kind == FilterKind::classic ? classic_geometry(options) : blocked_geometry(options);
}

std::uint64_t unit_bits(const Geometry& shape) noexcept {
  return shape.lines_per_key == 0 ? kWordBits : shape.lines_per_key * kLineBits;
}

// The probes and lines a key that the kind has, or those of them with `probe_count` probes. Without
// bits.
std::vector<Geometry> shapes_of(FilterKind kind, std::optional<std::uint32_t> probe_count) {
  std::vector<Geometry> shapes;
  const auto add = [&](std::uint32_t lines, std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t probes = first; probes <= last; ++probes) {
      if (!probe_count || probes == *probe_count) shapes.push_back({0, probes, lines});
    }
  };
  const std::uint32_t most = kind == FilterKind::classic ? 255 : 16;
  if (kind == FilterKind::classic) {
    add(0, 1, 255);
  } else {
    add(1, 1, 8);
    add(2, 2, 16);
  }
  if (shapes.empty()) {
    refuse("a " + name_of(kind) + " filter has 1 to " + std::to_string(most) + " probes, not " +
           std::to_string(*probe_count));
  }
  return shapes;
}

// The shape with whole units of at most `bit_count` bits.
Geometry with_bits(Geometry shape, std::uint64_t bit_count) {
  shape.bit_count = bit_count / unit_bits(shape) * unit_bits(shape);
  return shape;
}

Solution solution_of(const Geometry& geometry, std::uint64_t capacity) {
  return {capacity, geometry, predicted_rate(geometry, static_cast<double>(capacity))};
}

Geometry fewest_bits(FilterKind kind, const FilterOptions& options,
                     std::optional<std::uint32_t> probe_count) {
  if (!probe_count) return geometry_of(kind, options);
  Geometry best;
  for (const Geometry& shape : shapes_of(kind, probe_count)) {
    const Geometry found = geometry_with_probes(shape.probe_count, shape.lines_per_key, options);
    if (best.bit_count == 0 || found.bit_count < best.bit_count) best = found;
  }
  return best;
}

Solution lowest_rate(FilterKind kind, std::uint64_t capacity, std::uint64_t bit_count,
                     std::optional<std::uint32_t> probe_count) {
  std::optional<Solution> best;
  std::uint64_t smallest = kMostBitsSolved;
  for (const Geometry& shape : shapes_of(kind, probe_count)) {
    smallest = std::min(smallest, unit_bits(shape));
    const Geometry geometry = with_bits(shape, bit_count);
    if (geometry.bit_count == 0) continue;
    const Solution found = solution_of(geometry, capacity);
    if (!best || found.predicted_rate < best->predicted_rate) best = found;
  }
  if (!best) {
    refuse(std::to_string(bit_count) + " bits are too few: a " + name_of(kind) +
           " filter comes in units of " + std::to_string(smallest));
  }
  return *best;
}

// The bits that a promise needs, or more than there can be.
std::uint64_t bits_needed(FilterKind kind, const FilterOptions& options,
                          std::optional<std::uint32_t> probe_count) {
  try {
    return fewest_bits(kind, options, probe_count).bit_count;
  } catch (const std::invalid_argument&) {
    return std::numeric_limits<std::uint64_t>::max();
  }
}

Solution largest_capacity(FilterKind kind, double rate, std::uint64_t bit_count,
                          std::optional<std::uint32_t> probe_count) {
  const auto fits = [&](std::uint64_t capacity) {
    return bits_needed(kind, {.capacity = capacity, .false_positive_rate = rate}, probe_count) <=
           bit_count;
  };
  if (!fits(1)) {
    refuse(std::to_string(bit_count) + " bits are too few for even one key at rate " +
           short_number(rate));
  }
  std::uint64_t low = 1;
  std::uint64_t high = 2;
  while (high < kMostBitsSolved && fits(high)) {
    low = high;
    high *= 2;
  }
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (fits(middle) ? low : high) = middle;
  }
  const Geometry shape =
      fewest_bits(kind, {.capacity = low, .false_positive_rate = rate}, probe_count);
  return solution_of(with_bits(shape, bit_count), low);
}

// Half of the bits are set when keys * probes / bits is ln 2; there the short_number of probes is
// best.
Solution half_full(FilterKind kind, const Known& known) {
  const double bits_per_key = *known.probe_count / std::numbers::ln2;
  if (known.bit_count) {
    const auto most = static_cast<double>(*known.bit_count) / bits_per_key;
    const Geometry geometry = lowest_rate(kind, static_cast<std::uint64_t>(std::max(1.0, most)),
                                          *known.bit_count, known.probe_count)
                                  .geometry;
    // Whole units leave out bits: of few bits up to half, and those hold no keys.
    const double capacity = static_cast<double>(geometry.bit_count) / bits_per_key;
    if (capacity < 1) {
      refuse(std::to_string(*known.bit_count) + " bits are too few for one key of " +
             std::to_string(*known.probe_count) + " probes");
    }
    return solution_of(geometry, static_cast<std::uint64_t>(capacity));
  }
  const double bits = std::ceil(bits_per_key * static_cast<double>(*known.capacity));
  if (!(bits < static_cast<double>(kMostBitsSolved))) refuse("that needs more than 2^60 bits");
  const std::uint64_t unit = unit_bits(shapes_of(kind, known.probe_count).front());
  const std::uint64_t units = (static_cast<std::uint64_t>(bits) + unit - 1) / unit;
  return lowest_rate(kind, *known.capacity, units * unit, known.probe_count);
}

void require_rate(FilterKind kind, const Known& known, const Solution& found) {
  const double rate = *known.false_positive_rate;
  if (found.predicted_rate <= rate) return;
  const std::uint64_t needed = bits_needed(
      kind, {.capacity = *known.capacity, .false_positive_rate = rate}, known.probe_count);
  refuse("a " + name_of(kind) + " filter of " + std::to_string(*known.bit_count) + " bits and " +
         std::to_string(found.geometry.probe_count) + " probes has rate " +
         short_number(found.predicted_rate) + " with " + std::to_string(*known.capacity) +
         " keys, above the " + short_number(rate) + " asked; it needs " + std::to_string(needed) +
         " bits");
}

void check(const Known& known) {
  const int given = (known.capacity ? 1 : 0) + (known.false_positive_rate ? 1 : 0) +
                    (known.bit_count ? 1 : 0) + (known.probe_count ? 1 : 0);
  if (given < 2) {
    refuse("two or more of capacity, rate, bits and probes are needed to find the others");
  }
  if (!known.capacity && !known.bit_count) {
    refuse("rate and probes leave the size open; give the capacity or the bits too");
  }
  validate({.capacity = known.capacity.value_or(1),
            .false_positive_rate = known.false_positive_rate.value_or(0.5)});
  if (known.bit_count.value_or(1) > kMostBitsSolved) {
    refuse("more than 2^60 bits are more than any filter has");
  }
}

}  // namespace

Solution solve(FilterKind kind, const Known& known) {
  if (std::ranges::find(kSolvableKinds, kind) == kSolvableKinds.end()) {
    refuse("the size of such a filter is not one formula; those of blocked and classic ones are");
  }
  check(known);
  if (known.capacity && known.bit_count) {
    const Solution found = lowest_rate(kind, *known.capacity, *known.bit_count, known.probe_count);
    if (known.false_positive_rate) require_rate(kind, known, found);
    return found;
  }
  if (!known.false_positive_rate) return half_full(kind, known);
  const double rate = *known.false_positive_rate;
  if (known.bit_count) return largest_capacity(kind, rate, *known.bit_count, known.probe_count);
  const FilterOptions options{.capacity = *known.capacity, .false_positive_rate = rate};
  return solution_of(fewest_bits(kind, options, known.probe_count), *known.capacity);
}

}  // namespace bloomery
