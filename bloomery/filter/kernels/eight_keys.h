// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "bloomery/filter/batch_pipeline.h"
#include "bloomery/filter/blocked_shape.h"
#include "bloomery/filter/kernels/scattered_kernel.h"
#include "bloomery/filter/native_position.h"

namespace bloomery {

// One key in scattered bytes, which is the definition of those below. Inlined, so that a file
// compiled for one processor keeps it to itself.
[[gnu::always_inline]] inline bool has_bits(const ScatteredBytes& of, HashPair hash,
                                            std::uint32_t from) {
  for (std::uint32_t i = from; i < of.probe_count; ++i) {
    const std::uint64_t at = native_position(hash, i, of.bit_count);
    if ((static_cast<unsigned>(of.bytes[at / 8]) >> (at % 8) & 1) == 0) return false;
  }
  return true;
}

// The keys of a block in scattered bytes, bit j of an answer being that of key j, in plain C++;
// `Isa` as that of KeyCounters.
template <class Isa>
struct EightKeys {
  // The most bits or slots of which this can be asked.
  static constexpr std::uint64_t kMostPlaces = std::numeric_limits<std::uint64_t>::max();
  // kFirstProbes: how many bits of a key are tested without a jump, which a processor could not
  // foresee.
  static constexpr std::uint32_t kFirstProbes = 3;

  // second_pair() of each.
  [[gnu::always_inline]] static void move(HashBlock& block) {
    for (std::size_t j = 0; j < kHashBlock; ++j) block.set(j, second_pair(block[j]));
  }

  // The position of the i-th probe of each key.
  [[gnu::always_inline]] static void positions(const ScatteredBytes& of, const HashBlock& block,
                                               std::uint32_t i, std::uint64_t* out) {
    for (std::size_t j = 0; j < kHashBlock; ++j) {
      out[j] = native_position(block[j], i, of.bit_count);
    }
  }

  // Returns whether the bits of the probes `from` to `to` are set.
  [[gnu::always_inline]] static unsigned has_bits(const ScatteredBytes& of, const HashBlock& block,
                                                  std::uint32_t from, std::uint32_t to) {
    unsigned has = 0;
    for (std::size_t j = 0; j < kHashBlock; ++j) {
      unsigned all = 1;
      for (std::uint32_t i = from; i < to; ++i) {
        const std::uint64_t at = native_position(block[j], i, of.bit_count);
        all &= static_cast<unsigned>(of.bytes[at / 8]) >> (at % 8);
      }
      has |= all << j;
    }
    return has;
  }

  // Returns the keys of `some` that have the bits of all probes from `from` on.
  [[gnu::always_inline]] static unsigned has_other_bits(const ScatteredBytes& of,
                                                        const HashBlock& block, unsigned some,
                                                        std::uint32_t from) {
    if (some == kAll) return has_bits(of, block, from, of.probe_count);
    unsigned has = 0;
    for (; some != 0; some &= some - 1) {
      const auto j = static_cast<unsigned>(__builtin_ctz(some));
      has |= (bloomery::has_bits(of, block[j], from) ? 1U : 0U) << j;
    }
    return has;
  }

  // Returns whether the slots of a key make its fingerprint.
  [[gnu::always_inline]] static unsigned has_fingerprints(const ScatteredBytes& of,
                                                          const HashBlock& block) {
    unsigned has = 0;
    for (std::size_t j = 0; j < kHashBlock; ++j) {
      has |= (of.fuse.contains(of.bytes, block[j]) ? 1U : 0U) << j;
    }
    return has;
  }

 private:
  static constexpr unsigned kAll = (1U << kHashBlock) - 1;
};

}  // namespace bloomery
