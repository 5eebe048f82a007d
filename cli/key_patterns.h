// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloomery/hash/key.h"

namespace bloomery::cli {

// Keys of a shape that real keys have, made from a number: key i of a pattern is always the same,
// and two numbers never give one key.
enum class KeyPattern : std::uint8_t {
  random,   // eight random-looking bytes
  counter,  // the integers 0, 1, 2, ... as eight bytes
  shifted,  // the integers, shifted left by 32 bits
  uuid,     // f81d4fae-7dec-41d0-a765-00a0c91e6bf6
  url,      // https://example.org/items/12345
};

// Throws std::invalid_argument, listing the names, for one that is none.
KeyPattern key_pattern_named(std::string_view name);
std::string_view key_pattern_name(KeyPattern pattern);

// Writes key `number` to `out`, which has room for kPatternBytes, and returns its length.
inline constexpr std::size_t kPatternBytes = 64;
std::size_t write_pattern_key(KeyPattern pattern, std::uint64_t number, char* out);

// Makes keys in batches, in memory of its own that is used again.
class PatternBatches {
 public:
  static constexpr std::size_t kBatchKeys = 4096;

  explicit PatternBatches(KeyPattern pattern);

  // Keys `first` and following, at most kBatchKeys; valid until the next call.
  std::span<const Key> keys(std::uint64_t first, std::uint64_t count);

 private:
  KeyPattern pattern_;
  std::vector<char> bytes_;
  std::vector<Key> keys_;
};

}  // namespace bloomery::cli
