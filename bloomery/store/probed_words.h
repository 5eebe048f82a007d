// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "bloomery/filter/filter_contents.h"
#include "bloomery/filter/windowed_shape.h"

namespace bloomery {

// The words of a filter that its "absent" rests on, whatever its kind.
class ProbedWords {
 public:
  // The contents of a filter over words that follow each other, as in a file.
  explicit ProbedWords(const FilterContents& contents);

  // Returns whether the probes of a key prove it absent by words that are good: each layer has a
  // clear bit among them, or all of them are good where fingerprints are compared. Asks
  // are_good(first word, count) of every word that was looked at, also when it is proved, so that
  // soon all were asked for.
  template <class AreGood>
  bool prove_absence(std::span<const Probe> probes, AreGood are_good) const {
    bool proved = !probes.empty();
    // The head, a line of its own, says which generation it is.
    if (window_) proved &= are_good(std::uint64_t{0}, std::uint64_t{kLineWords});
    for (std::size_t i = 0; i < probes.size();) {
      const std::uint32_t layer = probes[i].layer;
      bool has_clear = false;
      bool all_good = true;
      for (; i < probes.size() && probes[i].layer == layer; ++i) {
        const bool good = is_good(probes[i], are_good);
        has_clear |= good && !probes[i].set;
        all_good &= good;
      }
      proved &= has_clear && (all_good || !compares_);
    }
    return proved;
  }

 private:
  template <class AreGood>
  bool is_good(const Probe& probe, AreGood are_good) const {
    // A layer that came after the file was opened is not in it.
    if (!window_ && probe.layer >= layer_begin_.size()) return true;
    if (!window_) {
      const std::uint64_t first = probe.position * cell_bits_ / kWordBits;
      const std::uint64_t last = (probe.position + place_bits_ - 1) * cell_bits_ / kWordBits;
      return are_good(layer_begin_[probe.layer] + first, last - first + 1);
    }
    // All generations of a group, whose stamp says which of them still count.
    const std::uint64_t group = probe.position / kHalfLineBits;
    const bool stamp = are_good(WindowedShape::stamp_word(group), std::uint64_t{1});
    return are_good(window_->group_word(group), window_->slots * kHalfLineWords) && stamp;
  }

  std::uint32_t cell_bits_;
  bool compares_;
  std::uint32_t place_bits_;  // from a probe's position on
  std::vector<std::uint64_t> layer_begin_;
  std::optional<WindowedShape> window_;
};

}  // namespace bloomery
