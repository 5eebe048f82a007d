// SPDX-License-Identifier: Apache-2.0
#include "bloomery/hash/product_hash.h"

#include "bloomery/hash/product_hash_ways.h"

namespace bloomery {
namespace {

void hash_one_by_one(const Key* keys, std::size_t count, std::uint64_t spread, std::uint64_t* h1,
                     std::uint64_t* h2) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    const HashPair pair = ProductHash::hash_key(keys[i], spread);
    h1[i] = pair.h1;
    h2[i] = pair.h2;
  }
}

constinit const ProductWay kInPlainCode{"portable", hash_one_by_one};

}  // namespace

std::span<const ProductWay* const> product_ways() {
#if defined(__x86_64__)
  static constinit const ProductWay* const all[] = {&kProductAvx512, &kInPlainCode};
  static const bool has_vectors =
      __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
      __builtin_cpu_supports("avx512ifma") != 0 && __builtin_cpu_supports("avx512vbmi") != 0 &&
      __builtin_cpu_supports("bmi2") != 0;
  return std::span(all).subspan(has_vectors ? 0 : 1);
#else
  static constinit const ProductWay* const all[] = {&kInPlainCode};
  return all;
#endif
}

void product_hash_block(const Key* keys, std::size_t count, std::uint64_t spread, std::uint64_t* h1,
                        std::uint64_t* h2) noexcept {
  static const ProductWay& fastest = *product_ways().front();
  fastest.block(keys, count, spread, h1, h2);
}

HashPair ProductHash::hash_short(Key key, std::uint64_t spread) noexcept {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < key.size(); ++i) {
    word |= std::uint64_t{static_cast<unsigned char>(key[i])} << (8 * i);
  }
  return finish(add(begin(key.size(), spread), {{word, word, word, word, word, word}}));
}

HashPair ProductHash::hash_long(Key key, std::uint64_t spread) noexcept {
  State state = begin(key.size(), spread);
  const char* at = key.data();
  for (std::size_t left = key.size(); left > kBlock; left -= kBlock, at += kBlock) {
    state = add_words(state, at, kBlock);
  }
  return finish(add_words(state, key.data() + key.size() - kBlock, kBlock));
}

}  // namespace bloomery
