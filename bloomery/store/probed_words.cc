#include "bloomery/store/probed_words.h"

#include "bloomery/bits/bit_view.h"

namespace bloomery {

ProbedWords::ProbedWords(const FilterContents& contents) {
  const FilterKind kind = contents.parameters.kind;
  const bool counts = kind == FilterKind::counting || kind == FilterKind::classic_counting;
  cell_bits_ = counts ? kCounterBits : 1;
  for (const auto& words : contents.words) {
    layer_begin_.push_back(static_cast<std::uint64_t>(words.data() - contents.words[0].data()));
  }
  if (kind == FilterKind::windowed) window_ = WindowedShape::of(contents.parameters);
}

}  // namespace bloomery
