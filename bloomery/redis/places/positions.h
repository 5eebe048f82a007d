// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "bloomery/filter/parameters.h"
#include "bloomery/filter/whole_layout.h"
#include "bloomery/hash/key.h"

namespace bloomery::redis {

// Appends where the bits of a key are.
using Positions = std::function<void(Key key, std::vector<std::uint64_t>& positions)>;

template <Layout L>
Positions positions_of(const FilterParameters& parameters) {
  return [layout = WholeLayout<L>(parameters)](Key key, std::vector<std::uint64_t>& all) {
    layout.for_each_position(layout.hash(key), [&](std::uint64_t at) { all.push_back(at); });
  };
}

}  // namespace bloomery::redis
