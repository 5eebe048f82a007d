// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "bloomery/bits/heap_words.h"
#include "bloomery/filter/batch.h"
#include "bloomery/hash/hash_pair.h"
#include "bloomery/hash/native_hash.h"

namespace bloomery {

// The pairs of a set of keys, each once, ordered by the first bits of h1: where a key's bits are
// chosen by those, neighbours are near each other. Keys with the same first bits are in any order.
class DistinctPairs {
 public:
  // Takes 16 bytes a key, and 16 more while it is made if the keys are texts or nearly all begin
  // alike.
  DistinctPairs(const KeyBatch& keys, const NativeHash& hash);

  operator std::span<const HashPair>() const noexcept {
    return {reinterpret_cast<const HashPair*>(memory_.words().data()), count_};
  }
  std::size_t size() const noexcept { return count_; }

 private:
  template <class PairOf>
  void group(std::size_t count, const PairOf& pair_of);

  HeapWords memory_;
  std::size_t count_ = 0;
};

}  // namespace bloomery
