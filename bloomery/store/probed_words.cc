// SPDX-License-Identifier: Apache-2.0
#include "bloomery/store/probed_words.h"

#include "bloomery/bits/bit_view.h"
#include "bloomery/format/kinds.h"

namespace bloomery {

ProbedWords::ProbedWords(const FilterContents& contents) {
  const Kind& kind = kind_of(contents.parameters.kind);
  cell_bits_ = kind.counts ? kCounterBits : 1;
  compares_ = kind.compares;
  place_bits_ = kind.compares ? contents.parameters.geometry.probe_count : 1;
  for (const auto& words : contents.words) {
    layer_begin_.push_back(static_cast<std::uint64_t>(words.data() - contents.words[0].data()));
  }
  if (kind.forgets) window_ = WindowedShape::of(contents.parameters);
}

}  // namespace bloomery
