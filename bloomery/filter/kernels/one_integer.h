// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "bloomery/filter/kernels/one_step.h"
#include "bloomery/hash/integer_hash.h"
#include "bloomery/hash/native_hash.h"

namespace bloomery {

// One integer in a filter whose step.hash is kHash, by the lanes of an instruction set.
//
// A processor overlaps the cache misses of as many calls as it has registers for what they do. Of
// general ones it has the fewest (AMD's Zen 5: 240, and 384 for vectors), so what need not be done
// in them is not.
template <class Lanes, OneStep::Hash kHash>
struct OneInteger {
  using Words = std::uint64_t;

  [[gnu::always_inline]] static bool may_contain(const Words* words, const OneStep& step,
                                                 std::uint64_t integer) {
    return with_bits(
        step, integer, [&](std::uint64_t at, auto mask) __attribute__((always_inline)) {
          // Other threads may set bits meanwhile (insert_concurrently), so what was read before is
          // no answer now.
          __asm__ volatile("" : "+r"(at));
          return Lanes::contains(words + at, mask);
        });
  }

  // Tests an integer as may_contain() does, but may use bits that were read before: for callers
  // that know that nobody inserts meanwhile, and for functions that are called, not inlined, and so
  // read anew each time.
  [[gnu::always_inline]] static bool may_contain_alone(const Words* words, const OneStep& step,
                                                       std::uint64_t integer) {
    return with_bits(
        step, integer, [&](std::uint64_t at, auto mask) __attribute__((always_inline)) {
          return Lanes::contains(words + at, mask);
        });
  }

  [[gnu::always_inline]] static bool insert(Words* words, const OneStep& step,
                                            std::uint64_t integer) {
    return with_bits(
        step, integer, [&](std::uint64_t at, auto mask) __attribute__((always_inline)) {
          return Lanes::insert(words + at, mask);
        });
  }

 private:
  // Returns act(the first word of the key's line, its mask).
  template <class Act>
  [[gnu::always_inline]] static bool with_bits(const OneStep& step, std::uint64_t integer,
                                               Act act) {
    const auto line = [&](std::uint64_t h1) {
      return fast_range(h1, step.words) & ~std::uint64_t{kLineWords - 1};
    };
#ifdef BLOOMERY_COMPILED_FOR_AES
    if constexpr (kHash == OneStep::Hash::aes) {
      const __m128i pair = AesHashBody<AesLanesX86<Lanes>>::lane_of_number(integer, step.seed);
      const auto h1 = static_cast<std::uint64_t>(_mm_cvtsi128_si64(pair));
      return act(line(h1), Lanes::all_lanes(Lanes::broadcast_upper(pair)));
    } else
#endif
    {
      static_assert(kHash == OneStep::Hash::products || kHash == OneStep::Hash::fold);
      if constexpr (kHash == OneStep::Hash::fold) {
        const HashPair pair = FoldHash::hash(integer, step.seed.h1);
        return act(upper_product(pair.h1, step.words) & ~std::uint64_t{kLineWords - 1},
                   Lanes::all_lanes(pair.h2));
      } else if constexpr (requires { Lanes::folded; }) {
        const HashPair pair = IntegerHash::unfolded(integer, step.seed.h1);
        return act(line(pair.h1), Lanes::all_lanes(Lanes::folded(pair.h2)));
      } else {
        const HashPair pair = IntegerHash::hash(integer, step.seed.h1);
        return act(line(pair.h1), Lanes::all_lanes(pair.h2));
      }
    }
  }
};

// Returns act(a OneInteger for step.hash, which is not `another`).
template <class Lanes, class Act>
[[gnu::always_inline]] inline bool with_one_integer([[maybe_unused]] const OneStep& step, Act act) {
  using enum OneStep::Hash;
#ifdef BLOOMERY_COMPILED_FOR_AES
  if constexpr (requires { Lanes::broadcast_upper; }) {
    if (step.hash == aes) return act(OneInteger<Lanes, aes>{});
  }
#endif
  if (step.hash == fold) return act(OneInteger<Lanes, fold>{});
  return act(OneInteger<Lanes, products>{});
}

}  // namespace bloomery
