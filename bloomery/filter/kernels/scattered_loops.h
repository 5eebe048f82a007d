// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstring>

#include "bloomery/filter/batch_pipeline.h"
#include "bloomery/filter/kernels/blocked_kernel.h"
#include "bloomery/filter/kernels/eight_keys.h"
#include "bloomery/filter/kernels/scattered_kernel.h"
#include "bloomery/filter/kernels/with_hasher.h"

namespace bloomery {

// The loops over scattered bytes, over the blocks of an instruction set (EightKeys).
template <class Isa, class Eight>
struct ScatteredLoops {
  // Calls ask(block) for each block of keys and, kLag keys later, probe(first, block); for the last
  // keys, fewer than a block, probe_one(index, hash).
  template <std::size_t kLag, class Ask, class Probe, class ProbeOne>
  [[gnu::always_inline]] static inline void run(const ScatteredBytes& of, const HashBlocks& hashes,
                                                Ask ask, Probe probe, ProbeOne probe_one) {
    constexpr std::size_t kRing = std::bit_ceil(kLag / kHashBlock + 1);
    const std::size_t whole = hashes.count - hashes.count % kHashBlock;
    with_hasher<Isa>(
        hashes, [&](auto hasher) __attribute__((always_inline)) {
          HashBlock ring[kRing];
          for (std::size_t now = 0; now < whole + kLag; now += kHashBlock) {
            if (now < whole) {
              HashBlock& block = ring[now / kHashBlock % kRing];
              hasher.start(now, kHashBlock, block);
              hasher.go_on(block);
              hasher.finish(block);
              for (std::uint32_t i = 0; i < of.moves; ++i) Eight::move(block);
              ask(block);
            }
            if (now >= kLag) probe(now - kLag, ring[(now - kLag) / kHashBlock % kRing]);
          }
          hasher.start(whole, hashes.count - whole, ring[0]);
          for (std::size_t j = 0; whole + j < hashes.count; ++j) {
            HashPair hash = ring[0][j];
            for (std::uint32_t i = 0; i < of.moves; ++i) hash = second_pair(hash);
            probe_one(whole + j, hash);
          }
        });
  }

  // Eight answers from the bits of `mask`.
  [[gnu::always_inline]] static inline void store(unsigned mask, bool* found) {
    static_assert(sizeof(bool) == 1);
    // Byte j keeps bit j, which 0x7f then carries to the byte's highest.
    std::uint64_t bytes = (std::uint64_t{mask} * 0x0101010101010101) & 0x8040201008040201;
    bytes = ((bytes + 0x7f7f7f7f7f7f7f7f) >> 7) & 0x0101010101010101;
    std::memcpy(found, &bytes, sizeof bytes);
  }

  static void bits_near(const ScatteredBytes& of, const HashBlocks& hashes, bool* found) {
    const std::uint32_t first = least(of.probe_count, Eight::kFirstProbes);
    run<kNearLag>(
        of, hashes, [](const HashBlock&) {},
        [&](std::size_t at, const HashBlock& block) __attribute__((always_inline)) {
          const unsigned some = Eight::has_bits(of, block, 0, first);
          store(Eight::has_other_bits(of, block, some, first), found + at);
        },
        [&](std::size_t i, HashPair hash) { found[i] = has_bits(of, hash, 0); });
  }

  // Asks for the lines of the first probes only; keys that pass wait in a queue for their others.
  static void bits_far(const ScatteredBytes& of, const HashBlocks& hashes, bool* found) {
    struct Waiting {
      std::size_t index;
      HashPair hash;
    };
    const std::uint32_t first = least(of.probe_count, kFirstAsked);
    Waiting queue[kQueue];
    std::size_t head = 0;
    std::size_t tail = 0;
    const auto finish = [&](const Waiting& key) {
      found[key.index] = has_bits(of, key.hash, first);
    };
    const auto ask = [&](const HashBlock& block) __attribute__((always_inline)) {
      for (std::uint32_t i = 0; i < first; ++i) {
        std::uint64_t at[kHashBlock];
        Eight::positions(of, block, i, at);
        for (std::size_t j = 0; j < kHashBlock; ++j) prefetch_far(of.bytes + at[j] / 8);
      }
    };
    const auto probe = [&](std::size_t at, const HashBlock& block) __attribute__((always_inline)) {
      store(0, found + at);
      for (unsigned some = Eight::has_bits(of, block, 0, first); some != 0; some &= some - 1) {
        const auto j = static_cast<std::size_t>(__builtin_ctz(some));
        for (std::uint32_t i = first; i < of.probe_count; ++i) {
          prefetch_far(of.bytes + native_position(block[j], i, of.bit_count) / 8);
        }
        queue[tail++ % kQueue] = {at + j, block[j]};
        if (tail - head > kQueueLag) finish(queue[head++ % kQueue]);
      }
    };
    run<kFarBitsLag>(of, hashes, ask, probe,
                     [&](std::size_t i, HashPair hash) { found[i] = has_bits(of, hash, 0); });
    for (; head < tail; ++head) finish(queue[head % kQueue]);
  }

  static void bits(const ScatteredBytes& of_in, const HashBlocks& hashes, bool* found) {
    const ScatteredBytes of = of_in;  // a copy that stores through `found` cannot change
    of.far ? bits_far(of, hashes, found) : bits_near(of, hashes, found);
  }

  static void fuse(const ScatteredBytes& of_in, const HashBlocks& hashes, bool* found) {
    const ScatteredBytes of = of_in;
    const auto ask = [&](const HashBlock& block) __attribute__((always_inline)) {
      for (std::size_t j = 0; j < kHashBlock; ++j) {
        for (const std::size_t slot : of.fuse.slots(block[j])) {
          prefetch_far(of.bytes + of.fuse.first_bit(slot) / 8);
        }
      }
    };
    const auto probe = [&](std::size_t at, const HashBlock& block) __attribute__((always_inline)) {
      store(Eight::has_fingerprints(of, block), found + at);
    };
    const auto probe_one = [&](std::size_t i, HashPair hash) {
      found[i] = of.fuse.contains(of.bytes, hash);
    };
    if (of.far) {
      run<kFarFuseLag>(of, hashes, ask, probe, probe_one);
    } else {
      run<kNearLag>(
          of, hashes, [](const HashBlock&) {}, probe, probe_one);
    }
  }

  [[gnu::always_inline]] static inline std::uint32_t least(std::uint32_t a, std::uint32_t b) {
    return a < b ? a : b;
  }

  static constexpr std::size_t kNearLag = 2 * kHashBlock;
  static constexpr std::size_t kFarBitsLag = 56;
  static constexpr std::size_t kFarFuseLag = 40;
  static constexpr std::uint32_t kFirstAsked = 3;
  static constexpr std::size_t kQueueLag = 12;
  static constexpr std::size_t kQueue = std::bit_ceil(kQueueLag + 1);
};

// The loops of a kernel: those over `Eight` as far as it goes, over plain C++ beyond.
template <class Isa, class Eight>
struct ScatteredKernel {
  using Plain = EightKeys<Isa>;

  static void may_contain_bits(const ScatteredBytes& of, const HashBlocks& hashes, bool* found) {
    if (of.bit_count <= Eight::kMostPlaces)
      return ScatteredLoops<Isa, Eight>::bits(of, hashes, found);
    ScatteredLoops<Isa, Plain>::bits(of, hashes, found);
  }
  static void may_contain_fuse(const ScatteredBytes& of, const HashBlocks& hashes, bool* found) {
    if (of.fuse.slot_count() <= Eight::kMostPlaces)
      return ScatteredLoops<Isa, Eight>::fuse(of, hashes, found);
    ScatteredLoops<Isa, Plain>::fuse(of, hashes, found);
  }

  static constexpr ScatteredOps kOps{may_contain_bits, may_contain_fuse};
};

}  // namespace bloomery
