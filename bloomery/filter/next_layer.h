#pragma once

#include <span>

#include "bloomery/filter/filter_contents.h"

// How a ScalableFilter grows, from its first layer on.
//
// Capacity: a new layer makes the filter hold `expansion` times as many keys as before; sixteen
// times while it holds no more than kSmallKeys, where layers would cost more time than they save
// memory.
//
// Rate: those small layers get a 128th of the asked rate each, for they cost little. Of the rest,
// where `left` is what `tightening`^i leaves after i large layers, each gets (1 - tightening) left;
// but half of all if the first layer is large already, since then somebody knew how many keys
// would come. So the sum over any number of layers stays below the asked rate (Almeida et al. 2007
// have one geometric series), and the large layers, which are the memory, have most of it.
namespace bloomery {

inline constexpr std::uint64_t kSmallKeys = 65'536;
inline constexpr std::size_t kMaxLayers = 64;

// The layer that follows `layers`, or the first, with its capacity, rate and geometry. Throws
// std::invalid_argument for a growth that is not allowed, and where a layer would need more than
// 2^60 bits.
Layer next_layer(const FilterOptions& options, std::span<const Layer> layers);

// Throws std::invalid_argument, naming the value and what is allowed.
void validate(const Growth& growth);

}  // namespace bloomery
