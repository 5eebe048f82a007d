#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "bloomery/filter/batch_pipeline.h"
#include "bloomery/filter/blocked_shape.h"
#include "bloomery/filter/kernels/blocked_kernel.h"
#include "bloomery/hash/native_hash.h"

namespace bloomery {

// The keys of a batch, hashed a block at a time when a kernel asks.
template <class K>
struct KeyBlocks {
  const NativeHash& hash;
  std::span<const K> keys;
  std::uint32_t moves = 0;  // as often a key's pair is replaced by second_pair() of it

  // Good as long as this is.
  HashBlocks blocks() const noexcept {
    HashBlocks blocks{.count = keys.size()};
    if constexpr (std::same_as<K, std::uint64_t>) {
      if (hash.mixes_integers() && moves == 0) {
        blocks.integers = keys.data();
        blocks.spread_seed = hash.spread_seed();
        return blocks;
      }
    }
    blocks.context = this;
    blocks.hash = [](const void* context, std::size_t first, std::size_t count, HashBlock& out) {
      static_cast<const KeyBlocks*>(context)->hash_block(first, count, out);
    };
    return blocks;
  }

 private:
  void hash_block(std::size_t first, std::size_t count, HashBlock& out) const noexcept {
    const auto hash_keys = [&](auto hash_key) {
      hash_each_key(keys, hash_key).start(first, count, out);
    };
    const auto hash_one = [this](const K& key) { return hash(key); };
    if constexpr (std::same_as<K, Key>) {
      const std::uint64_t spread = hash.spread_seed();
      if (hash.id() == HashId::product) {
        // Inlined: a call for each key would take a third of what its hash does.
        hash_keys([spread](Key key) { return ProductHash::hash_key(key, spread); });
      } else {
        hash_keys(hash_one);
      }
    } else {
      hash_keys(hash_one);
    }
    for (std::uint32_t i = 0; i < moves; ++i) {
      for (std::size_t j = 0; j < count; ++j) out.set(j, second_pair(out[j]));
    }
  }
};

}  // namespace bloomery
