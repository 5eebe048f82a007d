// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/bench_keys.h"

namespace bloomery::bench {

// Keys of a shape that may find a weakness of a hash, made from a number: two numbers below `count`
// never give one key.
struct RatePattern {
  std::string name;
  std::uint64_t count;
  // The keys of the numbers `first` and following, in memory that the next call uses again.
  std::function<KeyChunk(std::uint64_t first, std::uint64_t count)> make;
};

inline constexpr std::uint64_t kEveryNumber = std::numeric_limits<std::uint64_t>::max();

// The pattern of the integers number(i).
template <class Number>
RatePattern integers(std::string name, std::uint64_t count, Number number) {
  const auto make = [number, keys = std::vector<std::uint64_t>()](
                        std::uint64_t first, std::uint64_t some) mutable -> KeyChunk {
    keys.resize(some);
    for (std::uint64_t i = 0; i < some; ++i) keys[i] = number(first + i);
    return {.integers = keys, .texts = {}};
  };
  return {std::move(name), count, make};
}

// Adds counters, their multiples and what they become beside factors of hashes: 70 of integers.
void add_counters(std::vector<RatePattern>& patterns);
// Adds what programs have for keys, and bits in unusual orders: 43 of integers.
void add_things(std::vector<RatePattern>& patterns);
// Adds the patterns of `bloomery measure`, which are keys of bytes.
void add_measured(std::vector<RatePattern>& patterns);

// Returns all patterns.
std::vector<RatePattern> rate_patterns();

}  // namespace bloomery::bench
