// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bloomery/filter/kernels/blocked_kernel.h"
#include "bloomery/filter/kernels/key_counters.h"
#include "bloomery/filter/kernels/with_hasher.h"

namespace bloomery {

// The loops of a counting filter whose keys have a counter in each of eight lanes, over those of an
// instruction set (KeyCounters).
template <class Isa, class Counters>
struct CountingLoops {
  using Words = std::uint64_t;

  template <class Probe>
  [[gnu::always_inline]] static inline void run(const Words* words, std::uint64_t lines,
                                                const HashBlocks& hashes, bool far, Probe probe) {
    const auto prefetch = [&](HashPair hash) __attribute__((always_inline)) {
      const Words* const counters = words + first_word(lines, hash);
      for (std::size_t at = 0; at < kLineCounterWords; at += kLineWords) {
        prefetch_far(counters + at);
      }
    };
    with_hasher<Isa>(
        hashes, [&](auto hasher) __attribute__((always_inline)) {
          run_pipeline<kLag>(far, hashes.count, hasher, prefetch, probe);
        });
  }

  static void may_contain_batch(const Words* words, const BlockedShape& shape,
                                const HashBlocks& hashes, bool far, bool* found) {
    const std::uint64_t lines = shape.lines;  // a copy that stores through `found` cannot change
    run(
        words, lines, hashes,
        far, [&](std::size_t i, HashPair hash) __attribute__((always_inline)) {
          found[i] = Counters::contains(words + first_word(lines, hash), hash.h2);
        });
  }

  static std::size_t insert_batch(Words* words, const BlockedShape& shape, const HashBlocks& hashes,
                                  bool far, bool* was_new) {
    const std::uint64_t lines = shape.lines;
    std::size_t added = 0;
    run(
        words, lines, hashes,
        far, [&](std::size_t i, HashPair hash) __attribute__((always_inline)) {
          const bool is_new = Counters::raise(words + first_word(lines, hash), hash.h2);
          added += is_new ? 1 : 0;
          if (was_new != nullptr) was_new[i] = is_new;
        });
    return added;
  }

  [[gnu::always_inline]] static std::uint64_t first_word(std::uint64_t lines, HashPair hash) {
    return fast_range(hash.h1, lines) * kLineCounterWords;
  }

  // Fewer than in a blocked filter: each key asks for four lines.
  static constexpr std::size_t kLag = 24;

  static constexpr CountingOps kOps{may_contain_batch, insert_batch};
};

}  // namespace bloomery
