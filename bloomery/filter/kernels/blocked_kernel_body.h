#pragma once

#include "bloomery/filter/kernels/blocked_kernel.h"

// The loops of a kernel over an instruction set. Included by one file for each set, which passes a
// type of its own, of internal linkage, so that no loop compiled for one processor is linked into
// another's. An Isa has
//   Mask all_lanes(word)                  the bits of a key in a line, one in each lane
//   Mask some_lanes(word, probes)         the same for fewer lanes, the others zero
//   bool contains(line, mask)             whether all of them are set
//   bool insert(line, mask)               sets them; true where one was clear
namespace bloomery {

enum class KeyShape { all_lanes, some_lanes, two_lines };

template <class Isa, KeyShape kShape>
struct BlockedLoops {
  using Words = std::uint64_t;

  static std::uint64_t first_line(const BlockedShape& shape, HashPair hash) {
    return fast_range(hash.h1, shape.lines) * kLineWords;
  }

  static std::uint64_t second_line(const BlockedShape& shape, HashPair second) {
    return (shape.lines + fast_range(second.h1, shape.lines)) * kLineWords;
  }

  static auto first_mask(const BlockedShape& shape, HashPair hash) {
    if constexpr (kShape == KeyShape::all_lanes) {
      return Isa::all_lanes(hash.h2);
    } else {
      return Isa::some_lanes(hash.h2, shape.probes[0]);
    }
  }

  static bool may_contain(const Words* words, const BlockedShape& shape, HashPair hash) {
    const bool found = Isa::contains(words + first_line(shape, hash), first_mask(shape, hash));
    if constexpr (kShape != KeyShape::two_lines) {
      return found;
    } else {
      if (!found) return false;
      const HashPair second = second_pair(hash);
      return Isa::contains(words + second_line(shape, second),
                           Isa::some_lanes(second.h2, shape.probes[1]));
    }
  }

  static bool insert(Words* words, const BlockedShape& shape, HashPair hash) {
    const bool added = Isa::insert(words + first_line(shape, hash), first_mask(shape, hash));
    if constexpr (kShape != KeyShape::two_lines) {
      return added;
    } else {
      const HashPair second = second_pair(hash);
      return Isa::insert(words + second_line(shape, second),
                         Isa::some_lanes(second.h2, shape.probes[1])) ||
             added;
    }
  }

  template <int kForWrite>
  static void prefetch_one(const Words* words, const BlockedShape& shape, HashPair hash) {
    __builtin_prefetch(words + first_line(shape, hash), kForWrite);
    if constexpr (kShape == KeyShape::two_lines) {
      __builtin_prefetch(words + second_line(shape, second_pair(hash)), kForWrite);
    }
  }

  static void prefetch(const Words* words, const BlockedShape& shape, const HashPair* hashes,
                       std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) prefetch_one<0>(words, shape, hashes[i]);
  }

  static void may_contain_group(const Words* words, const BlockedShape& shape_in,
                                const HashPair* now, std::size_t count, const HashPair* ahead,
                                std::size_t ahead_count, bool* found) {
    const BlockedShape shape = shape_in;  // a copy that stores through `found` cannot change
    std::size_t i = 0;
    for (; i < ahead_count; ++i) {
      prefetch_one<0>(words, shape, ahead[i]);
      found[i] = may_contain(words, shape, now[i]);
    }
    for (; i < count; ++i) found[i] = may_contain(words, shape, now[i]);
  }

  static std::size_t insert_group(Words* words, const BlockedShape& shape_in, const HashPair* now,
                                  std::size_t count, const HashPair* ahead, std::size_t ahead_count,
                                  bool* was_new) {
    const BlockedShape shape = shape_in;
    std::size_t added = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (i < ahead_count) prefetch_one<1>(words, shape, ahead[i]);
      const bool is_new = insert(words, shape, now[i]);
      added += is_new ? 1 : 0;
      if (was_new != nullptr) was_new[i] = is_new;
    }
    return added;
  }

  static constexpr BlockedOps kOps{may_contain, insert, prefetch, may_contain_group, insert_group};
};

template <class Isa>
constexpr BlockedKernel make_blocked_kernel(std::string_view name) {
  return {name, BlockedLoops<Isa, KeyShape::all_lanes>::kOps,
          BlockedLoops<Isa, KeyShape::some_lanes>::kOps,
          BlockedLoops<Isa, KeyShape::two_lines>::kOps, Isa::hash_integers};
}

}  // namespace bloomery
