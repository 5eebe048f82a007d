// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "bloomery/filter/blocked_layout.h"
#include "bloomery/filter/growing_filter.h"
#include "bloomery/filter/next_layer.h"

namespace bloomery {

// Grows as next_layer() says.
struct NativeGrowth {
  // Kind, and the most layers of a chain.
  static constexpr FilterKind kKind = FilterKind::scalable;
  static constexpr std::size_t kMaxLayers = bloomery::kMaxLayers;

  // Returns the parameters of a filter for `options`, whose first layer they describe.
  static FilterParameters parameters_for(const FilterOptions& options) {
    return bloomery::parameters_for(kKind, {}, options);
  }
  // Returns the layer that follows these.
  static Layer next(const FilterParameters& parameters, std::span<const Layer> layers);
  // Returns whether a full chain gets another layer.
  static bool grows(const FilterParameters&) noexcept { return true; }
  // Throws FormatError for contents that are no such chain.
  static void check(const FilterContents& contents);
};

// A chain of blocked filters, each larger than the last. The rate asked for is that of the whole
// chain, whatever it has grown to. options.capacity is what the first layer holds; a filter that is
// made large enough never has a second one, has at most 1.3 times the bits of one that does not
// grow (or, for few keys, one line more, two where a key has two), and is faster and smaller for
// it: 12 layers hold 10^7 keys that began with 100, in less than twice the memory of a filter made
// for them.
//
// A ScalableFilter has at most 64 layers, and an insert that needs another throws
// std::invalid_argument. With an expansion of 1.1 that comes beyond 405 times the capacity (never
// before 5.5 million keys); with 1.5 or more it does not come before 10^14 keys.
using ScalableFilter = GrowingFilter<BlockedLayout, NativeGrowth>;

extern template class GrowingFilter<BlockedLayout, NativeGrowth>;

}  // namespace bloomery
