// SPDX-License-Identifier: Apache-2.0
#include "bloomery/filter/scalable_filter.h"

#include <stdexcept>
#include <string>

#include "bloomery/errors.h"

namespace bloomery {

template class GrowingFilter<BlockedLayout, NativeGrowth>;

Layer NativeGrowth::next(const FilterParameters& parameters, std::span<const Layer> layers) {
  return next_layer({.capacity = parameters.capacity,
                     .false_positive_rate = parameters.false_positive_rate,
                     .growth = parameters.growth},
                    layers);
}

void NativeGrowth::check(const FilterContents& contents) {
  const auto require = [](bool right, const std::string& what) {
    if (!right) throw FormatError("impossible chain of a scalable filter: " + what);
  };
  try {
    validate(contents.parameters.growth);
  } catch (const std::invalid_argument& error) {
    throw FormatError(error.what());
  }
  require(!contents.layers.empty() && contents.layers.size() <= kMaxLayers,
          std::to_string(contents.layers.size()) + " layers (1 to 64)");
  require(contents.layers.front().geometry == contents.parameters.geometry &&
              contents.layers.front().capacity == contents.parameters.capacity,
          "its first layer is not the one it was made with");
  double rates = 0;
  std::uint64_t inserted = 0;
  for (const Layer& each : contents.layers) {
    FilterParameters parameters = contents.parameters;
    parameters.geometry = each.geometry;
    BlockedLayout::check(parameters);
    require(each.capacity > 0 && each.false_positive_rate >= kMinRate,
            "a layer for no key, or of no rate");
    require(each.inserted <= 64 * each.geometry.bit_count,
            "more keys in a layer than bits can tell");
    rates += each.false_positive_rate;
    inserted += each.inserted;
  }
  require(rates <= contents.parameters.false_positive_rate * 1.001 + 64 * kMinRate,
          "its layers' rates are more than its own");
  require(inserted == contents.inserted, "the counts of its layers are not its own");
}

}  // namespace bloomery
