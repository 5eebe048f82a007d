#pragma once

#include <span>

#include "bloomery/filter/blocked_layout.h"
#include "bloomery/filter/growing_filter.h"
#include "bloomery/filter/next_layer.h"

namespace bloomery {

// Grows as next_layer() says.
struct NativeGrowth {
  static constexpr FilterKind kKind = FilterKind::scalable;
  static constexpr std::size_t kMaxLayers = bloomery::kMaxLayers;

  static FilterParameters parameters_for(const FilterOptions& options) {
    return bloomery::parameters_for(kKind, {}, options);
  }
  static Layer next(const FilterParameters& parameters, std::span<const Layer> layers);
  static bool grows(const FilterParameters&) noexcept { return true; }
  static void check(const FilterContents& contents);
};

// A chain of blocked filters, each larger than the last. The rate asked for is that of the whole
// chain, whatever it has grown to. options.capacity is what the first layer holds; a filter that is
// made large enough never has a second one, has at most 1.3 times the bits of one that does not
// grow (or one line more), and is faster and smaller for it: 12 layers hold 10^7 keys that began
// with 100, in less than twice the memory of a filter made for them.
using ScalableFilter = GrowingFilter<BlockedLayout, NativeGrowth>;

extern template class GrowingFilter<BlockedLayout, NativeGrowth>;

}  // namespace bloomery
