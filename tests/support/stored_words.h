// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "bloomery/filter/filter_contents.h"

namespace bloomery::testing {

// The words of any filter, one array after the other, as a file has them.
template <class F>
std::vector<std::uint64_t> stored_words(const F& filter) {
  std::vector<std::uint64_t> all;
  for (const auto& words : filter.contents().words) {
    all.insert(all.end(), words.begin(), words.end());
  }
  return all;
}

}  // namespace bloomery::testing
