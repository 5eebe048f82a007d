// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "bloomery/filter/blocked_shape.h"
#include "bloomery/hash/hash_pair.h"

namespace bloomery {

// How the bits of a key lie: one in each of the eight lanes of a line, in fewer of them, or in two
// lines.
enum class KeyShape { all_lanes, some_lanes, two_lines };

// One key in a blocked filter, by the lanes of an instruction set (scalar_lanes.h and its like).
// All of it is inlined, so that nothing of it is linked into what is compiled for another
// processor.
template <class Lanes, KeyShape kShape>
struct OneKey {
  using Words = std::uint64_t;

  // fast_range(h1, lines) * kLineWords without a shift, for which the masks need the processor.
  [[gnu::always_inline]] static std::uint64_t first_line(const BlockedShape& shape, HashPair hash) {
    return fast_range(hash.h1, shape.lines * kLineWords) & ~std::uint64_t{kLineWords - 1};
  }

  [[gnu::always_inline]] static std::uint64_t second_line(const BlockedShape& shape,
                                                          HashPair second) {
    return (shape.lines + fast_range(second.h1, shape.lines)) * kLineWords;
  }

  [[gnu::always_inline]] static auto first_mask(const BlockedShape& shape, HashPair hash) {
    if constexpr (kShape == KeyShape::all_lanes) {
      return Lanes::all_lanes(hash.h2);
    } else {
      return Lanes::some_lanes(hash.h2, shape.probes[0]);
    }
  }

  [[gnu::always_inline]] static bool may_contain(const Words* words, const BlockedShape& shape,
                                                 HashPair hash) {
    const bool found = Lanes::contains(words + first_line(shape, hash), first_mask(shape, hash));
    if constexpr (kShape != KeyShape::two_lines) {
      return found;
    } else {
      if (!found) return false;
      const HashPair second = second_pair(hash);
      return Lanes::contains(words + second_line(shape, second),
                             Lanes::some_lanes(second.h2, shape.probes[1]));
    }
  }

  [[gnu::always_inline]] static bool insert(Words* words, const BlockedShape& shape,
                                            HashPair hash) {
    const bool added = Lanes::insert(words + first_line(shape, hash), first_mask(shape, hash));
    if constexpr (kShape != KeyShape::two_lines) {
      return added;
    } else {
      const HashPair second = second_pair(hash);
      return Lanes::insert(words + second_line(shape, second),
                           Lanes::some_lanes(second.h2, shape.probes[1])) ||
             added;
    }
  }
};

// Returns act(shape), with the shape as a constant.
template <class Act>
[[gnu::always_inline]] inline auto with_key_shape(const BlockedShape& shape, Act act) {
  using enum KeyShape;
  if (shape.all_lanes()) return act(std::integral_constant<KeyShape, all_lanes>{});
  if (shape.two_lines()) return act(std::integral_constant<KeyShape, two_lines>{});
  return act(std::integral_constant<KeyShape, some_lanes>{});
}

// One key in a filter of any shape.
template <class Lanes>
struct OneKeyOfAnyShape {
  [[gnu::always_inline]] static bool may_contain(const std::uint64_t* words,
                                                 const BlockedShape& shape, HashPair hash) {
    return with_key_shape(
        shape, [&](auto of_key) __attribute__((always_inline)) {
          return OneKey<Lanes, of_key()>::may_contain(words, shape, hash);
        });
  }

  [[gnu::always_inline]] static bool insert(std::uint64_t* words, const BlockedShape& shape,
                                            HashPair hash) {
    return with_key_shape(
        shape, [&](auto of_key) __attribute__((always_inline)) {
          return OneKey<Lanes, of_key()>::insert(words, shape, hash);
        });
  }
};

}  // namespace bloomery
