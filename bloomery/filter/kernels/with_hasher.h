// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bloomery/filter/batch_pipeline.h"
#include "bloomery/filter/kernels/blocked_kernel.h"
#include "bloomery/filter/kernels/hash_each.h"

namespace bloomery {

// Integer keys for the pipeline, by IntegerHash.
template <class Isa>
struct IntegerHasher {
  const std::uint64_t* keys;
  std::uint64_t spread_seed;

  void start(std::size_t first, std::size_t count, HashBlock& out) const {
    prefetch_keys(keys + first);
    if (count == kHashBlock) {
      Isa::start_hash(keys + first, spread_seed, out);
    } else {
      hash_each(keys + first, count, spread_seed, out);
    }
  }
  void go_on(HashBlock& out) const { Isa::go_on_hash(out); }
  void finish(HashBlock& out) const { Isa::finish_hash(out); }
};

// Integer keys for the pipeline, by FoldHash. Where an Isa does not make products of eight keys,
// they are made in general registers, while vector ones probe.
template <class Isa>
struct FoldHasher {
  static constexpr bool kEight = requires(HashBlock & out) { Isa::go_on_fold(out); };

  const std::uint64_t* keys;
  std::uint64_t spread_seed;

  [[gnu::always_inline]] void start(std::size_t first, std::size_t count, HashBlock& out) const {
    prefetch_keys(keys + first);
    if constexpr (kEight) {
      if (count == kHashBlock) return Isa::start_fold(keys + first, spread_seed, out);
    }
    for (std::size_t j = 0; j < count; ++j) {
      out.set(j, FoldHash::hash(keys[first + j], spread_seed));
    }
  }
  [[gnu::always_inline]] void go_on(HashBlock& out) const {
    if constexpr (kEight) Isa::go_on_fold(out);
  }
  [[gnu::always_inline]] void finish(HashBlock&) const {}
};

// Calls act(hasher) with what hashes the keys of a batch for the pipeline.
template <class Isa, class Act>
[[gnu::always_inline]] inline void with_hasher(const HashBlocks& hashes, Act act) {
  if constexpr (requires { Isa::with_hasher(hashes, act); }) {
    Isa::with_hasher(hashes, act);
  } else if (hashes.hash == nullptr) {
    if (kFoldsInLoops && hashes.id == HashId::fold) {
      act(FoldHasher<Isa>{hashes.integers, hashes.spread_seed});
    } else {
      act(IntegerHasher<Isa>{hashes.integers, hashes.spread_seed});
    }
  } else {
    const auto hash = [&](std::size_t first, std::size_t count, HashBlock& out) {
      hashes.hash(hashes.context, first, count, out);
    };
    act(HashAtOnce{hash});
  }
}

}  // namespace bloomery
