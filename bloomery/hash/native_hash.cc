// SPDX-License-Identifier: Apache-2.0
#include "bloomery/hash/native_hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstring>

#include "bloomery/hash/aes_hash.h"
#include "bloomery/hash/highway_hash.h"

namespace bloomery {
namespace {

constexpr std::size_t kIntegerSize = sizeof(std::uint64_t);

std::uint64_t integer_in(Key key) noexcept {
  std::uint64_t integer;
  std::memcpy(&integer, key.data(), kIntegerSize);
  return integer;
}

HashPair native_hash(Key key, std::uint64_t seed, std::uint64_t spread_seed) noexcept {
  if (key.size() == kIntegerSize) return IntegerHash::hash(integer_in(key), spread_seed);
  const XXH128_hash_t hash = XXH3_128bits_withSeed(key.data(), key.size(), seed);
  return {hash.low64, hash.high64};
}

}  // namespace

void fold_hash_block(const Key* keys, std::size_t count, std::uint64_t spread, std::uint64_t* h1,
                     std::uint64_t* h2) noexcept {
  product_hash_block(keys, count, spread, h1, h2);
  FoldHash::replace_eight_byte_keys(keys, count, spread, h1, h2);
}

HashPair NativeHash::hash_bytes(Key key) const noexcept {
  if (id_ == HashId::fold && key.size() == kIntegerSize) {
    return FoldHash::hash(integer_in(key), spread_);
  }
  if (id_ == HashId::product || id_ == HashId::fold) return ProductHash::hash_key(key, spread_);
  if (id_ == HashId::aes) return aes_hash(key, spread_);
  if (secret_) return highway_hash_128(key, *secret_);
  return native_hash(key, seed_, spread_);
}

HashPair NativeHash::hash_integer(std::uint64_t integer) const noexcept {
  return hash_bytes({reinterpret_cast<const char*>(&integer), kIntegerSize});
}

void NativeHash::hash_many(std::span<const Key> keys, HashPair* out) const noexcept {
  static_assert(kProductBlock == kAesBlock);
  const auto by = [&](auto* hash_some) {
    alignas(64) std::uint64_t h1[kAesBlock];
    alignas(64) std::uint64_t h2[kAesBlock];
    for (; !keys.empty(); keys = keys.subspan(std::min(keys.size(), kAesBlock))) {
      const std::size_t count = std::min(keys.size(), kAesBlock);
      hash_some(keys.data(), count, spread_, h1, h2);
      for (std::size_t i = 0; i < count; ++i) *out++ = {h1[i], h2[i]};
    }
  };
  if (secret_) return highway_hash_128_many(keys, *secret_, out);
  if (id_ == HashId::product) return by(product_hash_block);
  if (id_ == HashId::fold) return by(fold_hash_block);
  if (id_ == HashId::aes) return by(aes_hash_block);
  for (const Key key : keys) *out++ = native_hash(key, seed_, spread_);
}

}  // namespace bloomery
