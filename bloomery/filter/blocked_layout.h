// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>

#include "bloomery/filter/batch_pipeline.h"
#include "bloomery/filter/blocked_shape.h"
#include "bloomery/filter/kernels/blocked_kernel.h"
#include "bloomery/filter/kernels/compiled_lanes.h"
#include "bloomery/filter/kernels/one_integer.h"
#include "bloomery/filter/kernels/one_key.h"
#include "bloomery/filter/kernels/one_step.h"
#include "bloomery/filter/kernels/single_calls.h"
#include "bloomery/filter/key_blocks.h"
#include "bloomery/filter/layout.h"
#include "bloomery/filter/sizing.h"

namespace bloomery {

// All probes of a key within one 64-byte line, or two for low rates: one or two cache misses a key
// where a classic filter has as many as probes, for a few percent more bits. blocked_shape.h
// defines the bits.
class BlockedLayout {
 public:
  static constexpr FilterKind kKind = FilterKind::blocked;
  static constexpr bool kHasParts = true;

  // Uses the fastest kernel; the other form is for those who compare kernels. Single calls that are
  // compiled for a processor (compiled_lanes.h) use none.
  explicit BlockedLayout(const FilterParameters& parameters)
      : BlockedLayout(parameters, blocked_kernel()) {}
  BlockedLayout(const FilterParameters& parameters, const BlockedKernel& kernel)
      : hash_(parameters.hash),
        shape_(BlockedShape::of(parameters.geometry)),
        step_(OneStep::of(hash_, shape_, kernel.hashes_by_aes())),
        set_(kernel.set),
        ops_(&kernel.ops_for(shape_)),
        region_ops_(&kernel.regions),
        counting_ops_(&kernel.counting),
        hash_integers_(kernel.hash_integers) {}

  static Geometry geometry(const FilterOptions& options) { return blocked_geometry(options); }
  static void check(const FilterParameters& parameters);
  static std::uint64_t word_count(const FilterParameters& parameters) noexcept {
    return parameters.geometry.bit_count / kWordBits;
  }

  HashPair hash(Key key) const noexcept { return hash_(key); }
  HashPair hash(std::uint64_t integer) const noexcept { return hash_(integer); }
  void hash_many(std::span<const Key> keys, HashPair* out) const noexcept {
    hash_.hash_many(keys, out);
  }
  void hash_many(std::span<const std::uint64_t> integers, HashPair* out) const noexcept;
  static void hash_many(std::span<const HashPair> hashes, HashPair* out) noexcept {
    std::ranges::copy(hashes, out);
  }

  // `may_contain` is never called by pointer, and inlined where the compiler was told of a
  // processor, which all files of a program are to be compiled for.
  [[gnu::always_inline]] bool may_contain(std::span<const std::uint64_t> words,
                                          HashPair hash) const noexcept {
    if constexpr (kCompiled) {
      // Other threads may set bits meanwhile (insert_concurrently), so what was read before is no
      // answer now.
      const std::uint64_t* now = words.data();
      __asm__ volatile("" : "+r"(now));
      return OneKeyOfAnyShape<CompiledLanes>::may_contain(now, shape_, hash);
    } else {
      return with_calls(
          set_, [&](auto kernel) __attribute__((always_inline)) {
            return kernel.may_contain(words.data(), shape_, hash);
          });
    }
  }
  [[gnu::always_inline]] bool insert(std::span<std::uint64_t> words, HashPair hash) const noexcept {
    if constexpr (kCompiled) {
      return OneKeyOfAnyShape<CompiledLanes>::insert(words.data(), shape_, hash);
    } else {
      return with_calls(
          set_, [&](auto kernel) __attribute__((always_inline)) {
            return kernel.insert(words.data(), shape_, hash);
          });
    }
  }

  [[gnu::always_inline]] bool may_contain_integer(std::span<const std::uint64_t> words,
                                                  std::uint64_t integer) const noexcept {
    return in_one_step(
        [&](auto calls) __attribute__((always_inline)) {
          return calls.may_contain(words.data(), step_, integer);
        },
        [&](auto calls) __attribute__((always_inline)) {
          return calls.may_contain_folded(words.data(), step_.words, step_.seed.h1, integer);
        },
        [&]() __attribute__((always_inline)) { return may_contain(words, hash(integer)); });
  }
  [[gnu::always_inline]] bool insert_integer(std::span<std::uint64_t> words,
                                             std::uint64_t integer) const noexcept {
    return in_one_step(
        [&](auto calls)
            __attribute__((always_inline)) { return calls.insert(words.data(), step_, integer); },
        [&](auto calls) __attribute__((always_inline)) {
          return calls.insert_folded(words.data(), step_.words, step_.seed.h1, integer);
        },
        [&]() __attribute__((always_inline)) { return insert(words, hash(integer)); });
  }

  template <class K>
  void may_contain_batch(std::span<const std::uint64_t> words, std::span<const K> keys,
                         bool* found) const noexcept {
    const KeyBlocks<K> hashed{hash_, keys};
    ops_->may_contain_batch(words.data(), shape_, hashed.blocks(), is_far(words), found);
  }
  template <class K>
  std::size_t insert_batch(std::span<std::uint64_t> words, std::span<const K> keys,
                           bool* was_new) const noexcept {
    const KeyBlocks<K> hashed{hash_, keys};
    return ops_->insert_batch(words.data(), shape_, hashed.blocks(), is_far(words), was_new);
  }

  // No two positions of a key are the same.
  template <class Test>
  bool all_positions(HashPair hash, Test test) const {
    return bloomery::all_positions(shape_, hash, test);
  }

  // Calls visit(position) for the first position of every line of a key.
  static constexpr std::uint64_t kLinePositions = kLineBits;
  template <class Visit>
  void for_each_line(HashPair hash, Visit visit) const {
    visit(fast_range(hash.h1, shape_.lines) * kLineBits);
    if (shape_.two_lines()) {
      visit((shape_.lines + fast_range(second_pair(hash).h1, shape_.lines)) * kLineBits);
    }
  }

  // one_step: what a call on an integer reads; see IntegerView.
  const OneStep& one_step() const noexcept { return step_; }

  // `shape` and `region_ops` are for bulk builds and counters.
  const BlockedShape& shape() const noexcept { return shape_; }
  const RegionOps& region_ops() const noexcept { return *region_ops_; }
  InstructionSet instruction_set() const noexcept { return set_; }
  const CountingOps& counting_ops() const noexcept { return *counting_ops_; }

  template <class K>
  KeyBlocks<K> key_blocks(std::span<const K> keys) const noexcept {
    return {hash_, keys};
  }

 private:
  static constexpr bool kCompiled = !std::is_void_v<CompiledLanes>;

  // Returns act(calls) where some calls hash and probe an integer in one step, folded(calls) where
  // calls by name do so for FoldHash, or otherwise().
  template <class Act, class Folded, class Otherwise>
  [[gnu::always_inline]] bool in_one_step(Act act, [[maybe_unused]] Folded folded,
                                          Otherwise otherwise) const noexcept {
    using enum OneStep::Hash;
    if constexpr (!kCompiled) {
      if (step_.hash == fold) return with_calls(set_, folded);
      return step_.hash != another ? with_calls(set_, act) : otherwise();
    } else {
      if (step_.hash == fold) return act(OneInteger<CompiledLanes, fold>{});
      if (step_.hash == products) return act(OneInteger<CompiledLanes, products>{});
      if (step_.hash == another) return otherwise();
#ifdef BLOOMERY_COMPILED_FOR_AES
      return act(OneInteger<CompiledLanes, aes>{});
#else
      return with_calls(set_, act);
#endif
    }
  }

  NativeHash hash_;
  BlockedShape shape_;
  OneStep step_;
  InstructionSet set_;
  const BlockedOps* ops_;
  const RegionOps* region_ops_;
  const CountingOps* counting_ops_;
  decltype(BlockedKernel::hash_integers) hash_integers_;
};

static_assert(Layout<BlockedLayout>);

}  // namespace bloomery
