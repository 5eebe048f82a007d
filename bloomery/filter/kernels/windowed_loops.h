#pragma once

#include "bloomery/filter/batch_pipeline.h"
#include "bloomery/filter/half_line.h"
#include "bloomery/filter/kernels/blocked_kernel.h"
#include "bloomery/filter/kernels/with_hasher.h"

// The loops of a kernel over the words of a windowed filter (see windowed_shape.h), over what
// half_lines.h or a like of it does for one instruction set.
namespace bloomery {

template <class Isa, class Lines, KeyShape kShape>
struct WindowedLoops {
  using Words = std::uint64_t;
  using Mask = typename Lines::Mask;
  // Of four generations, the default: that loop is unrolled.
  static constexpr std::uint32_t kUsualSlots = 5;
  static constexpr bool kTwoLines = kShape == KeyShape::two_lines;

  static Mask mask_of(std::uint64_t word, [[maybe_unused]] std::uint32_t probes) {
    if constexpr (kShape == KeyShape::all_lanes) {
      return Lines::all_lanes(word);
    } else {
      return Lines::some_lanes(word, probes);
    }
  }

  static const Words* group_of(const Words* words, const WindowedWords& of, std::uint64_t group) {
    return words + of.groups_begin + group * of.slots * kHalfLineWords;
  }

  // The slots, bit s for slot s, whose line of a key has all of its bits and counts now.
  static std::uint32_t slots_with(const Words* words, const WindowedWords& of, std::uint64_t group,
                                  const Mask& mask) {
    const Words* const lines = group_of(words, of, group);
    std::uint32_t slots = 0;
    if (of.slots == kUsualSlots) {
#pragma GCC unroll 8
      for (std::uint32_t slot = 0; slot < kUsualSlots; ++slot) {
        slots |= (Lines::contains(lines + slot * kHalfLineWords, mask) ? 1U : 0U) << slot;
      }
    } else {
      for (std::uint32_t slot = 0; slot < of.slots; ++slot) {
        slots |= (Lines::contains(lines + slot * kHalfLineWords, mask) ? 1U : 0U) << slot;
      }
    }
    const std::uint64_t stamp = load_word(words + of.stamp_word(group));
    if (stamp == of.now || slots == 0) return slots;
    return slots & of.living_slots(of.context, stamp);
  }

  static bool may_contain(const Words* words, const WindowedWords& of, HashPair hash) {
    const BlockedShape& shape = of.generation;
    const std::uint64_t group = fast_range(hash.h1, shape.lines);
    const std::uint32_t slots = slots_with(words, of, group, mask_of(hash.h2, shape.probes[0]));
    if constexpr (!kTwoLines) {
      return slots != 0;
    } else {
      if (slots == 0) return false;
      const HashPair second = second_pair(hash);
      return (slots & slots_with(words, of, shape.lines + fast_range(second.h1, shape.lines),
                                 mask_of(second.h2, shape.probes[1]))) != 0;
    }
  }

  // As slots_with, and afterwards the newest generation has the bits.
  static std::uint32_t set(Words* words, const WindowedWords& of, std::uint64_t group,
                           const Mask& mask) {
    if (load_word(words + of.stamp_word(group)) != of.now) of.renew(of.context, words, group);
    const std::uint32_t slots = slots_with(words, of, group, mask);
    Lines::insert(words + of.groups_begin + (group * of.slots + of.slot) * kHalfLineWords, mask);
    return slots;
  }

  static bool insert(Words* words, const WindowedWords& of, HashPair hash) {
    const BlockedShape& shape = of.generation;
    std::uint32_t slots =
        set(words, of, fast_range(hash.h1, shape.lines), mask_of(hash.h2, shape.probes[0]));
    if constexpr (kTwoLines) {
      const HashPair second = second_pair(hash);
      slots &= set(words, of, shape.lines + fast_range(second.h1, shape.lines),
                   mask_of(second.h2, shape.probes[1]));
    }
    return slots == 0;
  }

  static void ask_for(const Words* words, const WindowedWords& of, std::uint64_t group) {
    prefetch_far(words + of.stamp_word(group));
    const Words* const first = group_of(words, of, group);
    const Words* const last = first + (of.slots - 1) * kHalfLineWords;
    for (const Words* at = first; at <= last; at += kLineWords) prefetch_far(at);
    prefetch_far(last);
  }

  template <class Probe>
  static void run(const Words* words, const WindowedWords& of, const HashBlocks& hashes, bool far,
                  Probe probe) {
    const auto prefetch = [&](HashPair hash) {
      const BlockedShape& shape = of.generation;
      ask_for(words, of, fast_range(hash.h1, shape.lines));
      if constexpr (kTwoLines) {
        ask_for(words, of, shape.lines + fast_range(second_pair(hash).h1, shape.lines));
      }
    };
    with_hasher<Isa>(hashes, [&](auto hasher) {
      run_pipeline<kLag>(far, hashes.count, hasher, prefetch, probe);
    });
  }

  static void may_contain_batch(const Words* words, const WindowedWords& of_in,
                                const HashBlocks& hashes, bool far, bool* found) {
    const WindowedWords of = of_in;  // a copy that stores through `found` cannot change
    run(words, of, hashes, far,
        [&](std::size_t i, HashPair hash) { found[i] = may_contain(words, of, hash); });
  }

  static std::size_t insert_batch(Words* words, const WindowedWords& of_in,
                                  const HashBlocks& hashes, bool far, bool* was_new) {
    const WindowedWords of = of_in;
    std::size_t added = 0;
    run(words, of, hashes, far, [&](std::size_t i, HashPair hash) {
      const bool is_new = insert(words, of, hash);
      added += is_new ? 1 : 0;
      if (was_new != nullptr) was_new[i] = is_new;
    });
    return added;
  }

  // Fewer than in a blocked filter: each key asks for several lines.
  static constexpr std::size_t kLag = 24;

  static constexpr WindowedOps kOps{may_contain, insert, may_contain_batch, insert_batch};
};

}  // namespace bloomery
