#pragma once

#include "bloomery/filter/batch_pipeline.h"
#include "bloomery/filter/kernels/blocked_kernel.h"
#include "bloomery/filter/kernels/region_body.h"

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

  template <class Probe>
  static void run(const Words* words, const BlockedShape& shape, const HashBlocks& hashes, bool far,
                  Probe probe) {
    const auto hash_block = [&](std::size_t first, std::size_t count, HashPair* out) {
      hashes.hash(hashes.context, first, count, out);
    };
    const auto prefetch = [&](HashPair hash) {
      prefetch_far(words + first_line(shape, hash));
      if constexpr (kShape == KeyShape::two_lines) {
        prefetch_far(words + second_line(shape, second_pair(hash)));
      }
    };
    if (far) {
      run_pipeline<kFarLag>(hashes.count, hash_block, prefetch, probe);
    } else {
      run_pipeline<0>(hashes.count, hash_block, prefetch, probe);
    }
  }

  static void may_contain_batch(const Words* words, const BlockedShape& shape_in,
                                const HashBlocks& hashes, bool far, bool* found) {
    const BlockedShape shape = shape_in;  // a copy that stores through `found` cannot change
    run(words, shape, hashes, far,
        [=](std::size_t i, HashPair hash) { found[i] = may_contain(words, shape, hash); });
  }

  static std::size_t insert_batch(Words* words, const BlockedShape& shape_in,
                                  const HashBlocks& hashes, bool far, bool* was_new) {
    const BlockedShape shape = shape_in;
    std::size_t added = 0;
    if (was_new == nullptr) {
      run(words, shape, hashes, far,
          [=, &added](std::size_t, HashPair hash) { added += insert(words, shape, hash) ? 1 : 0; });
    } else {
      run(words, shape, hashes, far, [=, &added](std::size_t i, HashPair hash) {
        added += (was_new[i] = insert(words, shape, hash)) ? 1 : 0;
      });
    }
    return added;
  }

  static constexpr BlockedOps kOps{may_contain, insert, may_contain_batch, insert_batch};
};

template <class Isa>
constexpr BlockedKernel make_blocked_kernel(std::string_view name) {
  return {name,
          BlockedLoops<Isa, KeyShape::all_lanes>::kOps,
          BlockedLoops<Isa, KeyShape::some_lanes>::kOps,
          BlockedLoops<Isa, KeyShape::two_lines>::kOps,
          Isa::hash_integers,
          RegionLoops<Isa>::kOps};
}

}  // namespace bloomery
