// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "bloomery/filter/half_line.h"
#include "bloomery/filter/kernels/one_key.h"
#include "bloomery/filter/kernels/single_calls.h"

namespace bloomery {

// One key in all generations of a windowed filter, by `Lines` (half_lines.h and its like). All of
// it is inlined, so that nothing of it is linked into what is compiled for another processor.
template <class Lines, KeyShape kShape>
struct WindowedKey {
  using Words = std::uint64_t;
  using Mask = typename Lines::Mask;
  // kUsualSlots: the slots of four generations, the default. The loop over so many is unrolled.
  static constexpr std::uint32_t kUsualSlots = 5;
  static constexpr bool kTwoLines = kShape == KeyShape::two_lines;

  [[gnu::always_inline]] static Mask mask_of(std::uint64_t word,
                                             [[maybe_unused]] std::uint32_t probes) {
    if constexpr (kShape == KeyShape::all_lanes) {
      return Lines::all_lanes(word);
    } else {
      return Lines::some_lanes(word, probes);
    }
  }

  template <class Word>
  [[gnu::always_inline]] static Word* lines_of(Word* words, const WindowedGroups& of,
                                               std::uint64_t group) {
    return words + of.group_word(group);
  }

  [[gnu::always_inline]] static std::uint64_t first_group(const BlockedShape& shape,
                                                          HashPair hash) {
    return fast_range(hash.h1, shape.lines);
  }
  [[gnu::always_inline]] static std::uint64_t second_group(const BlockedShape& shape,
                                                           HashPair second) {
    return shape.lines + fast_range(second.h1, shape.lines);
  }
  template <class Visit>
  [[gnu::always_inline]] static void for_each_group(const BlockedShape& shape, HashPair hash,
                                                    Visit visit) {
    visit(first_group(shape, hash));
    if constexpr (kTwoLines) visit(second_group(shape, second_pair(hash)));
  }

  // The slots, bit s for slot s, whose line has all bits of the mask.
  [[gnu::always_inline]] static std::uint32_t slots_of(const Words* lines, std::uint32_t count,
                                                       const Mask& mask) {
    std::uint32_t slots = 0;
    if (count == kUsualSlots) {
#pragma GCC unroll 8
      for (std::uint32_t slot = 0; slot < kUsualSlots; ++slot) {
        slots |= (Lines::contains(lines + slot * kHalfLineWords, mask) ? 1U : 0U) << slot;
      }
    } else {
      for (std::uint32_t slot = 0; slot < count; ++slot) {
        slots |= (Lines::contains(lines + slot * kHalfLineWords, mask) ? 1U : 0U) << slot;
      }
    }
    return slots;
  }

  [[gnu::always_inline]] static std::uint32_t slots_with(const Words* words,
                                                         const WindowedGroups& of, HashPair hash) {
    const BlockedShape& shape = of.generation;
    const std::uint32_t slots = slots_of(lines_of(words, of, first_group(shape, hash)), of.slots,
                                         mask_of(hash.h2, shape.probes[0]));
    if constexpr (!kTwoLines) {
      return slots;
    } else {
      if (slots == 0) return 0;
      const HashPair second = second_pair(hash);
      return slots & slots_of(lines_of(words, of, second_group(shape, second)), of.slots,
                              mask_of(second.h2, shape.probes[1]));
    }
  }

  // Sets the bits of a key in `slot`, and returns what slots_with() would have returned before.
  [[gnu::always_inline]] static std::uint32_t insert(Words* words, const WindowedGroups& of,
                                                     std::uint32_t slot, HashPair hash) {
    const BlockedShape& shape = of.generation;
    const auto set = [&](std::uint64_t group, const Mask& mask) __attribute__((always_inline)) {
      Words* const lines = lines_of(words, of, group);
      const std::uint32_t slots = slots_of(lines, of.slots, mask);
      Lines::insert(lines + slot * kHalfLineWords, mask);
      return slots;
    };
    const std::uint32_t slots = set(first_group(shape, hash), mask_of(hash.h2, shape.probes[0]));
    if constexpr (!kTwoLines) {
      return slots;
    } else {
      const HashPair second = second_pair(hash);
      return slots & set(second_group(shape, second), mask_of(second.h2, shape.probes[1]));
    }
  }
};

}  // namespace bloomery
