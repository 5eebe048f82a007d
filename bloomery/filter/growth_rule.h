// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <span>

#include "bloomery/filter/filter_contents.h"
#include "bloomery/filter/parameters.h"

namespace bloomery {

// How a chain of layers grows.
//
//   kKind                    of the chain, which is not that of its layers' layout
//   kMaxLayers               at most StableList's
//   parameters_for(options)  of a new chain, but for its geometry
//   next(parameters, layers) the layer after these, or the first; std::invalid_argument where there
//                            can be none
//   grows(parameters)        false: one layer, which is full one day
//   check(contents)          throws FormatError for contents that no such chain has
template <class G>
concept GrowthRule = requires(const FilterOptions& options, const FilterParameters& parameters,
                              std::span<const Layer> layers, const FilterContents& contents) {
  requires std::convertible_to<decltype(G::kKind), FilterKind>;
  requires std::convertible_to<decltype(G::kMaxLayers), std::size_t>;
  requires std::same_as<decltype(G::parameters_for(options)), FilterParameters>;
  requires std::same_as<decltype(G::next(parameters, layers)), Layer>;
  requires std::same_as<decltype(G::grows(parameters)), bool>;
  G::check(contents);
};

}  // namespace bloomery
