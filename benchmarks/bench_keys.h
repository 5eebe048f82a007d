// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "bloomery/hash/key.h"

namespace bloomery::bench {

// Keys of a shape that real keys have, made from a number: two numbers never give one key.
enum class Pattern : std::uint8_t {
  random,
  counter,
  shifted_8,   // i << 8, what falls out on the left comes in on the right
  shifted_20,  // i << 20
  shifted_32,  // i << 32
  addresses,   // i * 4096 + a base
  doubles,     // the bits of the floating-point number i
  uuid,        // 36 bytes: f81d4fae-7dec-41d0-a765-00a0c91e6bf6
  url,         // https://example.org/items/12345
};

std::span<const Pattern> all_patterns() noexcept;
std::string_view pattern_name(Pattern pattern) noexcept;

// Some keys, all integers or all texts. Borrowed from the KeyMaker.
struct KeyChunk {
  std::span<const std::uint64_t> integers;
  std::span<const Key> texts;

  std::size_t size() const noexcept { return integers.size() + texts.size(); }
};

// Calls visit(span) with the keys as they are.
template <class Visit>
decltype(auto) visit_keys(const KeyChunk& chunk, Visit visit) {
  if (chunk.texts.empty()) return visit(chunk.integers);
  return visit(chunk.texts);
}

// An integer as the bytes that every peer hashes.
inline Key bytes_of(const std::uint64_t& integer) noexcept {
  return {reinterpret_cast<const char*>(&integer), sizeof integer};
}
inline Key bytes_of(const Key& key) noexcept {
  return key;
}

// A bijection that no filter here uses as its hash.
std::uint64_t scramble(std::uint64_t number) noexcept;

// Makes keys in memory of its own, which the next call uses again.
class KeyMaker {
 public:
  explicit KeyMaker(Pattern pattern) : pattern_(pattern) {}

  // The keys of the numbers `first` and following.
  KeyChunk make(std::uint64_t first, std::uint64_t count);

 private:
  Pattern pattern_;
  std::vector<std::uint64_t> integers_;
  std::vector<char> bytes_;
  std::vector<Key> texts_;
};

}  // namespace bloomery::bench
