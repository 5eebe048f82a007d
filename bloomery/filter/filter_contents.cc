// SPDX-License-Identifier: Apache-2.0
#include "bloomery/filter/filter_contents.h"

#include <algorithm>

#include "bloomery/bits/bit_ops.h"

namespace bloomery {

HeapWords copied_words(const FilterContents& contents) {
  HeapWords words(contents.word_count());
  std::uint64_t* to = words.words().data();
  for (const auto& part : contents.words) {
    for (const std::uint64_t& word : part) *to++ = load_word(&word);
  }
  return words;
}

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
