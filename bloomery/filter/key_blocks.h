// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "bloomery/filter/batch_pipeline.h"
#include "bloomery/filter/blocked_shape.h"
#include "bloomery/filter/kernels/blocked_kernel.h"
#include "bloomery/hash/aes_hash.h"
#include "bloomery/hash/native_hash.h"

namespace bloomery {

static_assert(kHashBlock == kAesBlock && kHashBlock == kProductBlock);

// The keys of a batch, hashed a block at a time when a kernel asks.
template <class K>
struct KeyBlocks {
  const NativeHash& hash;
  std::span<const K> keys;
  std::uint32_t moves = 0;  // as often a key's pair is replaced by second_pair() of it

  // Good as long as this is.
  HashBlocks blocks() const noexcept {
    HashBlocks blocks{.count = keys.size(), .id = hash.id(), .spread_seed = hash.spread_seed()};
    if constexpr (std::same_as<K, std::uint64_t>) {
      if (moves == 0) blocks.integers = keys.data();
      if (moves == 0 && (hash.mixes_integers() || (kFoldsInLoops && hash.id() == HashId::fold)))
        return blocks;
    } else if constexpr (std::same_as<K, Key>) {
      if (moves == 0) blocks.texts = keys.data();
    }
    blocks.context = this;
    blocks.hash = [](const void* context, std::size_t first, std::size_t count, HashBlock& out) {
      static_cast<const KeyBlocks*>(context)->hash_block(first, count, out);
    };
    return blocks;
  }

 private:
  void hash_block(std::size_t first, std::size_t count, HashBlock& out) const noexcept {
    hash_keys(first, count, out);
    for (std::uint32_t i = 0; i < moves; ++i) {
      for (std::size_t j = 0; j < count; ++j) out.set(j, second_pair(out[j]));
    }
  }

  void hash_keys(std::size_t first, std::size_t count, HashBlock& out) const noexcept {
    const auto by = [&, this](auto* hash_some) {
      hash_blocks_by(keys.data(), keys.size(), hash.spread_seed(), hash_some)
          .start(first, count, out);
    };
    if constexpr (std::same_as<K, Key>) {
      if (hash.id() == HashId::product) return by(product_hash_block);
      if (hash.id() == HashId::fold) return by(fold_hash_block);
      if (hash.id() == HashId::aes) return by(aes_hash_block);
    }
    if constexpr (std::same_as<K, std::uint64_t>) {
      if (hash.id() == HashId::aes) return by(aes_hash_numbers);
    }
    hash_each_key(keys, [this](const K& key) { return hash(key); }).start(first, count, out);
  }
};

}  // namespace bloomery
