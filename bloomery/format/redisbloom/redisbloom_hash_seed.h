// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "bloomery/errors.h"

// Servers after 8.8 can be given a hash seed, and say of each filter then which hash its keys have:
// a version and the seed, 8 bytes each, little-endian. Both are 0 for the hash of all releases.
namespace bloomery::redisbloom {

inline constexpr std::size_t kHashSeedBytes = 16;

// Versions of a value in an RDB file.
inline constexpr std::uint32_t kFirstWithHashSeed = 5;

// HashSeedError: the filter has a hash seed, and nobody can tell its keys without it.
class HashSeedError : public FormatError {
 public:
  static constexpr const char* kWhy = "made with a hash seed; rebuild it";
  HashSeedError() : FormatError(kWhy) {}
};

inline bool has_hash_seed(std::span<const std::byte> version_and_seed) noexcept {
  return version_and_seed.size() != kHashSeedBytes ||
         std::ranges::any_of(version_and_seed, [](std::byte each) { return each != std::byte{0}; });
}

// Reads the two numbers behind a value of version 5, and throws HashSeedError unless both are 0.
template <class Reader>
void read_no_hash_seed(Reader& reader) {
  const std::uint64_t version = reader.number("version of the hash");
  const std::uint64_t seed = reader.number("hash seed");
  if (version != 0 || seed != 0) throw HashSeedError();
}

}  // namespace bloomery::redisbloom
