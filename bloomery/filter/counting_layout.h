// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <span>

#include "bloomery/bits/bit_view.h"
#include "bloomery/bits/counters.h"
#include "bloomery/filter/batch_pipeline.h"
#include "bloomery/filter/blocked_layout.h"
#include "bloomery/filter/kernels/key_counters.h"
#include "bloomery/filter/layout.h"
#include "bloomery/filter/whole_layout.h"

namespace bloomery {

constexpr FilterKind counting_kind(FilterKind plain) noexcept {
  return plain == FilterKind::classic ? FilterKind::classic_counting : FilterKind::counting;
}

// CountingLayout has a counter of four bits where the plain layout `L` has a bit, at the same
// position: four times the memory, and keys can be taken out again. An insert raises each of a
// key's positions by one, once where probes fall together; an erase lowers them. A counter at 15
// stays there, so that no erase ever clears a position that a remaining key needs.
template <Layout L>
class CountingLayout {
 public:
  using Plain = L;
  static constexpr FilterKind kKind = counting_kind(L::kKind);

  explicit CountingLayout(const FilterParameters& parameters) : plain_(parameters) {}

  static Geometry geometry(const FilterOptions& options) { return L::geometry(options); }
  static void check(const FilterParameters& parameters) { L::check(parameters); }
  static std::uint64_t word_count(const FilterParameters& parameters) noexcept {
    return parameters.geometry.bit_count / kCountersPerWord;
  }

  HashPair hash(Key key) const noexcept { return plain_.hash(key); }
  HashPair hash(std::uint64_t integer) const noexcept { return plain_.hash(integer); }
  bool may_contain(std::span<const std::uint64_t> words, HashPair hash) const noexcept {
    if constexpr (kHasEightLanes) {
      if (plain_.shape().all_lanes())
        return with_calls(plain_.instruction_set(), [&, this](auto kernel) {
          return kernel.contains_counted(counters_of(words, hash), hash.h2);
        });
    }
    return plain_.all_positions(hash, [&](std::uint64_t at) { return counter(words, at) != 0; });
  }

  // How often a key was inserted and not erased: never less than the truth below 15, and more only
  // where other keys share all of its positions.
  std::uint64_t estimate_count(std::span<const std::uint64_t> words, HashPair hash) const noexcept {
    std::uint64_t least = kCounterMax;
    plain_.for_each_position(
        hash, [&](std::uint64_t at) { least = std::min(least, counter(words, at)); });
    return least;
  }

  bool insert(std::span<std::uint64_t> words, HashPair hash) const noexcept {
    if constexpr (kHasEightLanes) {
      if (plain_.shape().all_lanes())
        return with_calls(plain_.instruction_set(), [&, this](auto kernel) {
          return kernel.raise(counters_of(words, hash), hash.h2);
        });
    }
    bool added = false;
    for (const std::uint64_t at : Distinct(*this, hash)) added |= raise_counter(words, at) == 0;
    return added;
  }

  template <class K>
  void may_contain_batch(std::span<const std::uint64_t> words, std::span<const K> keys,
                         bool* found) const noexcept {
    if constexpr (kHasEightLanes) {
      if (plain_.shape().all_lanes()) {
        const KeyBlocks<K> hashed = plain_.key_blocks(keys);
        plain_.counting_ops().may_contain_batch(words.data(), plain_.shape(), hashed.blocks(),
                                                is_far(words), found);
        return;
      }
    }
    ask_each(*this, words, keys, found);
  }
  template <class K>
  std::size_t insert_batch(std::span<std::uint64_t> words, std::span<const K> keys,
                           bool* was_new) const noexcept {
    if constexpr (kHasEightLanes) {
      if (plain_.shape().all_lanes()) {
        const KeyBlocks<K> hashed = plain_.key_blocks(keys);
        return plain_.counting_ops().insert_batch(words.data(), plain_.shape(), hashed.blocks(),
                                                  is_far(words), was_new);
      }
    }
    return insert_each(*this, words, keys, was_new);
  }

  bool insert_concurrently(std::span<std::uint64_t> words, HashPair hash) const noexcept {
    bool added = false;
    for (const std::uint64_t at : Distinct(*this, hash)) {
      added |= raise_counter_atomically(words, at) == 0;
    }
    return added;
  }

  // Erased: what erase() found. absent: nothing to erase, and nothing changed. one: one of several
  // inserts. last: the last one. saturated: counters that all stand at 15, and nothing changed.
  enum class Erased { absent, one, last, saturated };
  Erased erase(std::span<std::uint64_t> words, HashPair hash) const noexcept {
    if (!may_contain(words, hash)) return Erased::absent;
    if (estimate_count(words, hash) == kCounterMax) return Erased::saturated;
    bool last = false;
    for (const std::uint64_t at : Distinct(*this, hash)) last |= lower_counter(words, at) == 0;
    return last ? Erased::last : Erased::one;
  }

  static void merge(std::span<std::uint64_t> words,
                    std::span<const std::uint64_t> others) noexcept {
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = add_counters(words[i], others[i]);
  }
  static BitView bits(std::span<const std::uint64_t> words) noexcept {
    return {words, kCounterBits};
  }
  template <class Test>
  bool all_positions(HashPair hash, Test test) const {
    return plain_.all_positions(hash, test);
  }

  void prefetch(Words words, HashPair hash) const noexcept {
    plain_.for_each_line(hash, [&](std::uint64_t position) {
      const std::uint64_t* const line = &words[position / kCountersPerWord];
      if constexpr (L::kLinePositions == 1) {
        prefetch_far(line);
      } else {
        for (std::uint32_t part = 0; part < kCounterBits; ++part) {
          prefetch_far(line + part * kLineWords);
        }
      }
    });
  }
  // kLag is that of ClassicLayout: a key asks for several lines.
  static constexpr std::size_t kLag = 24;

 private:
  // `kHasEightLanes`: a key may have one counter in each of eight lanes, as nearly all have:
  // kernels go through those without jumps.
  static constexpr bool kHasEightLanes = std::same_as<L, BlockedLayout>;

  // The counters of a key's line.
  template <class Word>
  Word* counters_of(std::span<Word> words, HashPair hash) const noexcept {
    return words.data() + fast_range(hash.h1, plain_.shape().lines) * kLineCounterWords;
  }

  // The positions of a key, each once.
  class Distinct {
   public:
    Distinct(const CountingLayout& layout, HashPair hash) noexcept {
      layout.plain_.for_each_position(hash, [&](std::uint64_t position) {
        // Positions within lines never fall together.
        if (L::kLinePositions > 1 || std::find(begin(), end(), position) == end()) {
          positions_[count_++] = position;
        }
      });
    }
    const std::uint64_t* begin() const noexcept { return positions_.data(); }
    const std::uint64_t* end() const noexcept { return positions_.data() + count_; }

   private:
    static constexpr std::size_t kMost = 255;
    std::array<std::uint64_t, kMost> positions_;
    std::size_t count_ = 0;
  };

  WholeLayout<L> plain_;
};

}  // namespace bloomery
