// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bloomery/filter/batch_pipeline.h"
#include "bloomery/filter/half_line.h"
#include "bloomery/filter/kernels/blocked_kernel.h"
#include "bloomery/filter/kernels/windowed_key.h"
#include "bloomery/filter/kernels/with_hasher.h"

// The loops of a kernel over the words of a windowed filter (see windowed_shape.h), over what
// half_lines.h or a like of it does for one instruction set.
namespace bloomery {

template <class Isa, class Lines, KeyShape kShape>
struct WindowedLoops {
  using Words = std::uint64_t;
  using Key = WindowedKey<Lines, kShape>;

  // Returns those of `slots` whose lines in a group count now.
  static std::uint32_t living(const Words* words, const WindowedWords& of, std::uint64_t group,
                              std::uint32_t slots) {
    const std::uint64_t stamp = load_word(words + of.stamp_word(group));
    if (stamp == of.now || slots == 0) return slots;
    return slots & of.living_slots(of.context, stamp);
  }

  [[gnu::always_inline]] static bool may_contain(const Words* words, const WindowedWords& of,
                                                 HashPair hash) {
    std::uint32_t slots = Key::slots_with(words, of.groups, hash);
    Key::for_each_group(of.groups.generation, hash,
                        [&](std::uint64_t group) { slots = living(words, of, group, slots); });
    return slots != 0;
  }

  [[gnu::always_inline]] static bool insert(Words* words, const WindowedWords& of, HashPair hash) {
    Key::for_each_group(
        of.groups.generation, hash, [&](std::uint64_t group) __attribute__((always_inline)) {
          if (load_word(words + of.stamp_word(group)) != of.now) {
            of.renew(of.context, words, group);
          }
        });
    return Key::insert(words, of.groups, of.slot, hash) == 0;
  }

  template <class Probe>
  static void run(const Words* words, const WindowedWords& of, const HashBlocks& hashes, bool far,
                  Probe probe) {
    const auto prefetch = [&](HashPair hash) {
      Key::for_each_group(of.groups.generation, hash,
                          [&](std::uint64_t group) { prefetch_group(words, of.groups, group); });
    };
    with_hasher<Isa>(hashes, [&](auto hasher) {
      run_pipeline<kLag>(far, hashes.count, hasher, prefetch, probe);
    });
  }

  static void may_contain_batch(const Words* words, const WindowedWords& of_in,
                                const HashBlocks& hashes, bool far, bool* found) {
    const WindowedWords of = of_in;  // a copy that stores through `found` cannot change
    run(
        words, of, hashes, far, [&](std::size_t i, HashPair hash) __attribute__((always_inline)) {
          found[i] = may_contain(words, of, hash);
        });
  }

  static std::size_t insert_batch(Words* words, const WindowedWords& of_in,
                                  const HashBlocks& hashes, bool far, bool* was_new) {
    const WindowedWords of = of_in;
    std::size_t added = 0;
    run(
        words, of, hashes, far, [&](std::size_t i, HashPair hash) __attribute__((always_inline)) {
          const bool is_new = insert(words, of, hash);
          added += is_new ? 1 : 0;
          if (was_new != nullptr) was_new[i] = is_new;
        });
    return added;
  }

  // Fewer than in a blocked filter: each key asks for several lines.
  static constexpr std::size_t kLag = 24;

  static constexpr WindowedOps kOps{may_contain_batch, insert_batch};
};

}  // namespace bloomery
