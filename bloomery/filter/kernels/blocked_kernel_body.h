// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bloomery/filter/batch_pipeline.h"
#include "bloomery/filter/kernels/blocked_kernel.h"
#include "bloomery/filter/kernels/counting_loops.h"
#include "bloomery/filter/kernels/eight_keys.h"
#include "bloomery/filter/kernels/half_lines.h"
#include "bloomery/filter/kernels/hash_each.h"
#include "bloomery/filter/kernels/key_counters.h"
#include "bloomery/filter/kernels/one_integer.h"
#include "bloomery/filter/kernels/one_key.h"
#include "bloomery/filter/kernels/region_body.h"
#include "bloomery/filter/kernels/scattered_loops.h"
#include "bloomery/filter/kernels/windowed_loops.h"
#include "bloomery/filter/kernels/with_hasher.h"

// The loops of a kernel over an instruction set. Included by one file for each set, which passes a
// type of its own, of internal linkage, so that no loop compiled for one processor is linked into
// another's. An Isa has
//   all_lanes(word)                       the bits of a key in a line, one in each lane
//   some_lanes(word, probes)              the same for fewer lanes
//   bool contains(line, mask)             whether all of them are set
//   bool insert(line, mask)               sets them; true where one was clear
//   start_hash(keys, spread, block),      IntegerHash of eight keys, in steps as of run_pipeline
//   go_on_hash(block), finish_hash(block)
namespace bloomery {

template <class Isa>
void hash_integers(const std::uint64_t* keys, std::size_t count, std::uint64_t spread_seed,
                   HashPair* out) {
  HashBlock block;
  for (std::size_t at = 0; at < count; at += kHashBlock) {
    const std::size_t left = count - at < kHashBlock ? count - at : kHashBlock;
    if (left < kHashBlock) {
      hash_each(keys + at, left, spread_seed, block);
    } else {
      Isa::start_hash(keys + at, spread_seed, block);
      Isa::go_on_hash(block);
      Isa::finish_hash(block);
    }
    for (std::size_t j = 0; j < left; ++j) out[at + j] = block[j];
  }
}

template <class Isa, KeyShape kShape>
struct BlockedLoops {
  using Words = std::uint64_t;
  using One = OneKey<Isa, kShape>;

  template <class Probe>
  [[gnu::always_inline]] static inline void run(const Words* words, const BlockedShape& shape,
                                                const HashBlocks& hashes, bool far, Probe probe) {
    const auto prefetch = [&](HashPair hash) {
      prefetch_far(words + One::first_line(shape, hash));
      if constexpr (kShape == KeyShape::two_lines) {
        prefetch_far(words + One::second_line(shape, second_pair(hash)));
      }
    };
    with_hasher<Isa>(
        hashes, [&](auto hasher) __attribute__((always_inline)) {
          run_pipeline(far, hashes.count, hasher, prefetch, probe);
        });
  }

  // Asks for the second lines once the first have let a key pass, where lines are far: few absent
  // keys pass. Keys that pass wait together for their second lines.
  static void may_contain_late(const Words* words, const BlockedShape& shape,
                               const HashBlocks& hashes, bool* found) {
    struct Waiting {
      std::size_t index;
      HashPair second;
    };
    constexpr std::size_t kMostWaiting = 32;
    Waiting waiting[kMostWaiting];
    std::size_t begun = 0;
    std::size_t done = 0;
    const auto end = [&](std::size_t one) {
      const auto& [index, second] = waiting[one % kMostWaiting];
      found[index] = Isa::contains(words + One::second_line(shape, second),
                                   Isa::some_lanes(second.h2, shape.probes[1]));
    };
    const auto prefetch = [&](HashPair hash) {
      prefetch_far(words + One::first_line(shape, hash));
    };
    const auto probe = [&](std::size_t i, HashPair hash) __attribute__((always_inline)) {
      found[i] = false;
      if (Isa::contains(words + One::first_line(shape, hash), One::first_mask(shape, hash))) {
        const HashPair second = second_pair(hash);
        prefetch_far(words + One::second_line(shape, second));
        if (begun - done == kMostWaiting) end(done++);
        waiting[begun++ % kMostWaiting] = {i, second};
      }
    };
    with_hasher<Isa>(
        hashes, [&](auto hasher) __attribute__((always_inline)) {
          run_pipeline<kFarLag>(hashes.count, hasher, prefetch, probe);
        });
    while (done != begun) end(done++);
  }

  // Part: some of the keys of a batch, from `first` on, as a batch.
  struct Part {
    const HashBlocks& of;
    std::size_t first;

    HashBlocks blocks(std::size_t count) const {
      HashBlocks blocks = of;
      blocks.count = count;
      if (of.integers != nullptr) blocks.integers += first;
      if (of.texts != nullptr) blocks.texts += first;
      if (of.hash != nullptr) {
        blocks.context = this;
        blocks.hash = [](const void* context, std::size_t at, std::size_t some, HashBlock& out) {
          const Part& part = *static_cast<const Part*>(context);
          part.of.hash(part.of.context, part.first + at, some, out);
        };
      }
      return blocks;
    }
  };

  // Keys of two lines that are far: both lines at once where more than a quarter is found of the
  // keys just before.
  static void may_contain_far(const Words* words, const BlockedShape& shape,
                              const HashBlocks& hashes, bool* found) {
    constexpr std::size_t kSample = 64;
    constexpr std::size_t kPart = 4096;
    bool many = true;
    for (std::size_t first = 0; first < hashes.count;) {
      const std::size_t most = first == 0 ? kSample : kPart;
      const std::size_t size = hashes.count - first < most ? hashes.count - first : most;
      const Part keys{hashes, first};
      const HashBlocks part = keys.blocks(size);
      bool* const answers = found + first;
      if (many) {
        run(
            words, shape, part,
            true, [&](std::size_t i, HashPair hash) __attribute__((always_inline)) {
              answers[i] = One::may_contain(words, shape, hash);
            });
      } else {
        may_contain_late(words, shape, part, answers);
      }
      first += size;
      std::size_t count = 0;
      for (std::size_t i = first - (size < kSample ? size : kSample); i < first; ++i) {
        count += found[i] ? 1 : 0;
      }
      many = count > kSample / 4;
    }
  }

  static void may_contain_batch(const Words* words, const BlockedShape& shape_in,
                                const HashBlocks& hashes, bool far, bool* found) {
    const BlockedShape shape = shape_in;  // a copy that stores through `found` cannot change
    if constexpr (kShape == KeyShape::two_lines) {
      if (far) return may_contain_far(words, shape, hashes, found);
    }
    run(
        words, shape, hashes,
        far, [&](std::size_t i, HashPair hash) __attribute__((always_inline)) {
          found[i] = One::may_contain(words, shape, hash);
        });
  }

  static std::size_t insert_batch(Words* words, const BlockedShape& shape_in,
                                  const HashBlocks& hashes, bool far, bool* was_new) {
    const BlockedShape shape = shape_in;
    std::size_t added = 0;
    if (was_new == nullptr) {
      run(
          words, shape, hashes,
          far, [&](std::size_t, HashPair hash) __attribute__((always_inline)) {
            added += One::insert(words, shape, hash) ? 1 : 0;
          });
    } else {
      run(
          words, shape, hashes,
          far, [&](std::size_t i, HashPair hash) __attribute__((always_inline)) {
            added += (was_new[i] = One::insert(words, shape, hash)) ? 1 : 0;
          });
    }
    return added;
  }

  template <class HalfLinesOfIsa>
  static constexpr BlockedOps kOps{may_contain_batch, insert_batch,
                                   WindowedLoops<Isa, HalfLinesOfIsa, kShape>::kOps};
};

// KernelParts: the types that a kernel is made of.
template <class IsaOfKernel, class HalfLinesOfIsa = HalfLines<IsaOfKernel>,
          class CountersOfIsa = KeyCounters<IsaOfKernel>,
          class EightKeysOfIsa = EightKeys<IsaOfKernel>>
struct KernelParts {
  using Isa = IsaOfKernel;
  using Lines = HalfLinesOfIsa;
  using Counters = CountersOfIsa;
  using Eight = EightKeysOfIsa;
};

template <class Parts>
constexpr BlockedKernel make_blocked_kernel(std::string_view name, InstructionSet set) {
  using enum KeyShape;
  using Isa = typename Parts::Isa;
  using Lines = typename Parts::Lines;
  return {name,
          set,
          BlockedLoops<Isa, all_lanes>::template kOps<Lines>,
          BlockedLoops<Isa, some_lanes>::template kOps<Lines>,
          BlockedLoops<Isa, two_lines>::template kOps<Lines>,
          CountingLoops<Isa, typename Parts::Counters>::kOps,
          hash_integers<Isa>,
          RegionLoops<Isa>::kOps,
          ScatteredKernel<Isa, typename Parts::Eight>::kOps};
}

// PartsOf: the parts of an instruction set's single calls. The set's file says which, and
// instantiates them.
template <InstructionSet kSet>
struct PartsOf;

template <InstructionSet kSet>
bool SingleCalls<kSet>::may_contain(const Words* words, const BlockedShape& shape,
                                    HashPair hash) noexcept {
  return OneKeyOfAnyShape<typename PartsOf<kSet>::Isa>::may_contain(words, shape, hash);
}
template <InstructionSet kSet>
bool SingleCalls<kSet>::insert(Words* words, const BlockedShape& shape, HashPair hash) noexcept {
  return OneKeyOfAnyShape<typename PartsOf<kSet>::Isa>::insert(words, shape, hash);
}
template <InstructionSet kSet>
bool SingleCalls<kSet>::may_contain(const Words* words, const OneStep& step,
                                    std::uint64_t integer) noexcept {
  return with_one_integer<typename PartsOf<kSet>::Isa>(
      step, [&](auto one)
                __attribute__((always_inline)) { return one.may_contain(words, step, integer); });
}
template <InstructionSet kSet>
bool SingleCalls<kSet>::insert(Words* words, const OneStep& step, std::uint64_t integer) noexcept {
  return with_one_integer<typename PartsOf<kSet>::Isa>(
      step, [&](auto one)
                __attribute__((always_inline)) { return one.insert(words, step, integer); });
}

template <InstructionSet kSet>
bool SingleCalls<kSet>::may_contain_folded(const Words* words, std::uint64_t word_count,
                                           std::uint64_t spread, std::uint64_t integer) noexcept {
  using One = OneInteger<typename PartsOf<kSet>::Isa, OneStep::Hash::fold>;
  return One::may_contain_alone(words, {.words = word_count, .seed = {spread, 0}}, integer);
}
template <InstructionSet kSet>
bool SingleCalls<kSet>::insert_folded(Words* words, std::uint64_t word_count, std::uint64_t spread,
                                      std::uint64_t integer) noexcept {
  using One = OneInteger<typename PartsOf<kSet>::Isa, OneStep::Hash::fold>;
  return One::insert(words, {.words = word_count, .seed = {spread, 0}}, integer);
}

template <InstructionSet kSet>
std::uint32_t SingleCalls<kSet>::slots_with(const Words* words, const WindowedGroups& of,
                                            HashPair hash) noexcept {
  return with_key_shape(of.generation, [&](auto shape) {
    return WindowedKey<typename PartsOf<kSet>::Lines, shape()>::slots_with(words, of, hash);
  });
}
template <InstructionSet kSet>
std::uint32_t SingleCalls<kSet>::insert_into(Words* words, const WindowedGroups& of,
                                             std::uint32_t slot, HashPair hash) noexcept {
  return with_key_shape(of.generation, [&](auto shape) {
    return WindowedKey<typename PartsOf<kSet>::Lines, shape()>::insert(words, of, slot, hash);
  });
}

template <InstructionSet kSet>
bool SingleCalls<kSet>::contains_counted(const Words* counters, std::uint64_t word) noexcept {
  return PartsOf<kSet>::Counters::contains(counters, word);
}
template <InstructionSet kSet>
bool SingleCalls<kSet>::raise(Words* counters, std::uint64_t word) noexcept {
  return PartsOf<kSet>::Counters::raise(counters, word);
}

}  // namespace bloomery
