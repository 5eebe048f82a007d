// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "bloomery/filter/filter_contents.h"

// How a ScalableFilter grows, from its first layer on.
//
// Capacity: a new layer makes the filter hold `expansion` times as many keys as before; sixteen
// times while that is no more than 20,000 keys, where layers would cost more time than they save
// memory.
//
// Rate: the first layer gets half of the asked rate, for whoever knows how many keys will come
// needs no other; more where it would have 1.3 times the bits of a filter that does not grow, and
// more than one line beyond them (two where a key has two). Each further layer leaves `tightening`
// of what those before it left, and gets the rest. So the sum over any number of layers stays below
// the asked rate (Almeida et al. 2007 have one geometric series). A layer counts with what its
// whole lines keep, which for few keys is far less than it was given.
//
// The rule follows from the layers, which are stored with their rates. Filters that began with a
// 128th of the asked rate, as those for up to 65,536 keys once did, go on as they began.
namespace bloomery {

inline constexpr std::size_t kMaxLayers = 64;

// The layer that follows `layers`, or the first, with its capacity, rate and geometry. Throws
// std::invalid_argument for a growth that is not allowed, and where a layer would need more than
// 2^60 bits.
Layer next_layer(const FilterOptions& options, std::span<const Layer> layers);

// Throws std::invalid_argument, naming the value and what is allowed.
void validate(const Growth& growth);

}  // namespace bloomery
