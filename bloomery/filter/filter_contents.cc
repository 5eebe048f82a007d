// SPDX-License-Identifier: Apache-2.0
#include "bloomery/filter/filter_contents.h"

#include <algorithm>

namespace bloomery {

std::string merge_obstacle(const FilterContents& a, const FilterContents& b) {
  if (auto reason = merge_problem(a.parameters, b.parameters); !reason.empty()) return reason;
  const auto same = [](const Layer& one, const Layer& other) {
    return one.geometry == other.geometry;
  };
  if (std::ranges::equal(a.layers, b.layers, same)) return {};
  return "the filters have grown differently, to " + std::to_string(a.layers.size()) + " and " +
         std::to_string(b.layers.size()) + " layers";
}

}  // namespace bloomery
