// SPDX-License-Identifier: Apache-2.0
#include "bloomery/hash/murmur3.h"

#include <bit>
#include <cstddef>

#include "bloomery/hash/little_endian.h"

namespace bloomery {
namespace {

constexpr std::size_t kBlockBytes = 16;
constexpr std::uint64_t kFirst = 0x87c37b91114253d5;
constexpr std::uint64_t kSecond = 0x4cf5ad432745937f;

std::uint64_t mixed_first(std::uint64_t word) noexcept {
  return std::rotl(word * kFirst, 31) * kSecond;
}

std::uint64_t mixed_second(std::uint64_t word) noexcept {
  return std::rotl(word * kSecond, 33) * kFirst;
}

void add_block(HashPair& hash, const char* block) noexcept {
  hash.h1 ^= mixed_first(load_little_endian<std::uint64_t>(block));
  hash.h1 = (std::rotl(hash.h1, 27) + hash.h2) * 5 + 0x52dce729;
  hash.h2 ^= mixed_second(load_little_endian<std::uint64_t>(block + 8));
  hash.h2 = (std::rotl(hash.h2, 31) + hash.h1) * 5 + 0x38495ab5;
}

HashPair add_blocks(Key key, std::uint32_t seed) noexcept {
  HashPair hash{seed, seed};
  for (std::size_t at = 0; key.size() - at >= kBlockBytes; at += kBlockBytes) {
    add_block(hash, key.data() + at);
  }
  return hash;
}

Key tail_of(Key key) noexcept {
  return key.substr(key.size() - key.size() % kBlockBytes);
}

std::uint64_t avalanche(std::uint64_t word) noexcept {
  word = (word ^ (word >> 33)) * 0xff51afd7ed558ccd;
  word = (word ^ (word >> 33)) * 0xc4ceb9fe1a85ec53;
  return word ^ (word >> 33);
}

// `tail`: a block, zeros behind the input's last bytes. Mixed zeros are zero.
HashPair finished(HashPair hash, const char* tail, std::uint64_t length) noexcept {
  hash.h1 ^= mixed_first(load_little_endian<std::uint64_t>(tail)) ^ length;
  hash.h2 ^= mixed_second(load_little_endian<std::uint64_t>(tail + 8)) ^ length;
  hash.h1 += hash.h2;
  hash.h2 += hash.h1;
  hash.h1 = avalanche(hash.h1);
  hash.h2 = avalanche(hash.h2);
  hash.h1 += hash.h2;
  hash.h2 += hash.h1;
  return hash;
}

}  // namespace

HashPair murmur3_128(Key key, std::uint32_t seed) noexcept {
  char tail[kBlockBytes] = {};
  tail_of(key).copy(tail, kBlockBytes);
  return finished(add_blocks(key, seed), tail, key.size());
}

HashPair murmur3_128_appended(Key key, std::uint8_t last, std::uint32_t seed) noexcept {
  HashPair hash = add_blocks(key, seed);
  char tail[kBlockBytes] = {};
  const std::size_t count = tail_of(key).copy(tail, kBlockBytes);
  tail[count] = static_cast<char>(last);
  if (count + 1 == kBlockBytes) {
    add_block(hash, tail);
    for (char& byte : tail) byte = 0;
  }
  return finished(hash, tail, key.size() + 1);
}

std::uint32_t murmur3_32(Key key, std::uint32_t seed) noexcept {
  const auto mixed = [](std::uint32_t word) {
    return std::rotl(word * 0xcc9e2d51, 15) * 0x1b873593;
  };
  std::uint32_t hash = seed;
  std::size_t at = 0;
  for (; key.size() - at >= 4; at += 4) {
    hash ^= mixed(load_little_endian<std::uint32_t>(key.data() + at));
    hash = std::rotl(hash, 13) * 5 + 0xe6546b64;
  }
  hash ^= mixed(load_little_endian<std::uint32_t>(key.data() + at, key.size() - at));
  hash ^= static_cast<std::uint32_t>(key.size());
  hash = (hash ^ (hash >> 16)) * 0x85ebca6b;
  hash = (hash ^ (hash >> 13)) * 0xc2b2ae35;
  return hash ^ (hash >> 16);
}

}  // namespace bloomery
