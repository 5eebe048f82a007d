// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <span>

#include "bloomery/filter/geometry.h"
#include "bloomery/filter/hashes_once.h"
#include "bloomery/filter/options.h"
#include "bloomery/hash/hash_pair.h"
#include "bloomery/hash/key.h"

namespace bloomery {

// ProbeScheme: what one stored format means by a key: its hash, and where in the array its i-th
// probe falls. A scheme is part of the stored data: never change one, add another.
//
// A scheme may have hash(std::uint64_t), else integers are their eight bytes; check(parameters),
// which throws FormatError for a geometry that it never has; and asked_probes(probe_count),
// where questions look at fewer probes than inserts set; and kNarrowHash and numbered_hash(number),
// see narrow_hash.h. position() may take the Modulus that bit_count is, for its remainder. A scheme
// whose probes are hashes of their own has no hash(), and position() takes the key.
template <class P>
concept ProbeScheme = requires(const P& scheme, const FilterOptions& options, Hashed<P> hashed,
                               std::uint32_t i, std::uint64_t bit_count) {
  { P::geometry(options) } -> std::same_as<Geometry>;
  { scheme.position(hashed, i, bit_count) }
  noexcept->std::same_as<std::uint64_t>;
};

// One whose probes depend on each other, so that the share of set bits does not tell the rate: has
// a trial that does.
template <class P>
concept DependentProbes = requires(std::span<const std::uint64_t> words) {
  { P::rate_now(words, std::uint64_t{}, std::uint32_t{}) } -> std::same_as<double>;
};

}  // namespace bloomery
