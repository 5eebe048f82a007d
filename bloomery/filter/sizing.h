// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "bloomery/filter/geometry.h"
#include "bloomery/filter/options.h"

// How many bits keep a rate. The one place for library, command and module; each inverts its kind's
// own formula in rates.h. The smallest geometry is taken whose mean rate is at most the asked one
// and whose rate stays within five percent of it four standard deviations out: that pads filters of
// a few keys, whose luck varies, and costs large ones nothing. All throw std::invalid_argument as
// validate() does, and for more than 2^60 bits.
namespace bloomery {

Geometry classic_geometry(const FilterOptions& options);

// The lowest rate that a geometry keeps so: of few keys, for whom the next whole line is much, it
// may be far below the one that was asked for.
double kept_rate(const Geometry& geometry, std::uint64_t keys) noexcept;

// One line a key while that takes at most a tenth more bits than two would: one line is twice as
// fast. Of the half lines of a windowed filter, which come several at once, while it takes at most
// a quarter more.
Geometry blocked_geometry(const FilterOptions& options, std::uint32_t line_bits = 512);

// The fewest bits for a given number of probes, on that many lines a key (0: classic). Throws
// std::invalid_argument, too, where no filter has so many: there are 1 to 255 on no line, 1 to 8 on
// one, and 2 to 16 on two.
Geometry geometry_with_probes(std::uint32_t probe_count, std::uint32_t lines_per_key,
                              const FilterOptions& options);

}  // namespace bloomery
