// SPDX-License-Identifier: Apache-2.0
#include "bloomery/format/bitmap_gap.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>

#include "bloomery/bits/bit_ops.h"
#include "bloomery/format/kinds.h"
#include "bloomery/text/grouped.h"

namespace bloomery {
namespace {

constexpr double kLogChance = -27.6;  // ln 10^-12

bool spreads_evenly(const FilterParameters& parameters) {
  return is_foreign(parameters.kind) &&
         parameters.geometry.bit_count <= kind_of(parameters.kind).even_bits;
}

struct Gap {
  std::uint64_t first_word = 0;
  std::uint64_t word_count = 0;
};

struct Bits {
  std::uint64_t ones = 0;
  Gap longest;
};

Bits survey(std::span<const std::uint64_t> words) noexcept {
  Bits bits;
  Gap gap;
  for (std::uint64_t i = 0; i < words.size(); ++i) {
    const std::uint64_t word = load_word(&words[i]);
    bits.ones += static_cast<std::uint64_t>(std::popcount(word));
    if (word != 0) {
      gap = {i + 1, 0};
      continue;
    }
    ++gap.word_count;
    if (gap.word_count > bits.longest.word_count) bits.longest = gap;
  }
  return bits;
}

}  // namespace

std::string gap_advice(const FilterContents& contents) {
  if (!spreads_evenly(contents.parameters)) return {};
  for (const auto& words : contents.words) {
    const Bits bits = survey(words);
    const Gap& gap = bits.longest;
    if (bits.ones == 0 || gap.word_count == 0) continue;
    const auto rest = static_cast<double>((words.size() - gap.word_count) * kWordBits);
    const double density = std::min(0.999, static_cast<double>(bits.ones) / rest);
    // A key's bits may stand side by side, so they count as one.
    const double places = static_cast<double>(gap.word_count * kWordBits) /
                          std::max<std::uint32_t>(1, contents.parameters.geometry.probe_count);
    const double log_chance =
        std::log(static_cast<double>(words.size())) + places * std::log1p(-density);
    if (log_chance > kLogChance) continue;
    const std::uint64_t first = gap.first_word * kWordBits;
    return "bits " + grouped(first) + " to " + grouped(first + gap.word_count * kWordBits - 1) +
           " are all zero, where one in " +
           grouped(
               std::max<std::uint64_t>(2, static_cast<std::uint64_t>(std::llround(1 / density)))) +
           " of the others is set: it was cut, or zero-filled, and keys that were in it are "
           "\"absent\"";
  }
  return {};
}

}  // namespace bloomery
