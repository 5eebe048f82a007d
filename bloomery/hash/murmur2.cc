// SPDX-License-Identifier: Apache-2.0
#include "bloomery/hash/murmur2.h"

#include <cstddef>

#include "bloomery/hash/little_endian.h"

namespace bloomery {

std::uint64_t murmur2_64a(Key key, std::uint64_t seed) noexcept {
  constexpr std::uint64_t kMix = 0xc6a4a7935bd1e995;
  std::uint64_t hash = seed ^ (key.size() * kMix);
  std::size_t at = 0;
  for (; key.size() - at >= 8; at += 8) {
    std::uint64_t word = load_little_endian<std::uint64_t>(key.data() + at) * kMix;
    word = (word ^ (word >> 47)) * kMix;
    hash = (hash ^ word) * kMix;
  }
  if (at < key.size()) {
    hash ^= load_little_endian<std::uint64_t>(key.data() + at, key.size() - at);
    hash *= kMix;
  }
  hash = (hash ^ (hash >> 47)) * kMix;
  return hash ^ (hash >> 47);
}

std::uint32_t murmur2_32(Key key, std::uint32_t seed) noexcept {
  constexpr std::uint32_t kMix = 0x5bd1e995;
  std::uint32_t hash = seed ^ static_cast<std::uint32_t>(key.size());
  std::size_t at = 0;
  for (; key.size() - at >= 4; at += 4) {
    std::uint32_t word = load_little_endian<std::uint32_t>(key.data() + at) * kMix;
    word = (word ^ (word >> 24)) * kMix;
    hash = (hash * kMix) ^ word;
  }
  if (at < key.size()) {
    hash ^= load_little_endian<std::uint32_t>(key.data() + at, key.size() - at);
    hash *= kMix;
  }
  hash = (hash ^ (hash >> 13)) * kMix;
  return hash ^ (hash >> 15);
}

}  // namespace bloomery
