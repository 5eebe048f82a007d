// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "bloomery/hash/key.h"

// Keys for tests: the same on every run and machine.
namespace bloomery::testing {

// `count` distinct texts that no other prefix gives.
inline std::vector<std::string> texts(std::size_t count, const std::string& prefix) {
  std::vector<std::string> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = prefix + std::to_string(i);
  return all;
}

inline std::vector<Key> keys_of(const std::vector<std::string>& texts) {
  return {texts.begin(), texts.end()};
}

// `count` numbers from `first` on.
inline std::vector<std::uint64_t> numbers(std::uint64_t first, std::size_t count) {
  std::vector<std::uint64_t> all(count);
  std::iota(all.begin(), all.end(), first);
  return all;
}

inline std::vector<std::uint64_t> random_keys(std::size_t count, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  std::vector<std::uint64_t> keys(count);
  for (auto& key : keys) key = random();
  return keys;
}

// A family of keys with structure: what real programs insert. `make(i)` is the i-th key.
struct KeyPattern {
  std::string name;
  std::string (*make)(std::uint64_t i);
};

inline std::string bytes_of(std::uint64_t integer) {
  return {reinterpret_cast<const char*>(&integer), sizeof integer};
}

inline std::vector<KeyPattern> key_patterns() {
  return {
      {"counter", [](std::uint64_t i) { return bytes_of(i); }},
      {"shifted by 16", [](std::uint64_t i) { return bytes_of(i << 16); }},
      {"shifted by 40", [](std::uint64_t i) { return bytes_of(i << 40); }},
      {"pages", [](std::uint64_t i) { return bytes_of(i * 4096 + 0x7f0000000000); }},
      {"doubles",
       [](std::uint64_t i) {
         return bytes_of(std::bit_cast<std::uint64_t>(static_cast<double>(i)));
       }},
      {"snowflakes",
       [](std::uint64_t i) { return bytes_of(((1'700'000'000'000 + i / 4) << 22) | (i % 4)); }},
      {"timestamps",
       [](std::uint64_t i) { return bytes_of(1'700'000'000'000'000'000 + i * 1'000'000); }},
      {"digits", [](std::uint64_t i) { return std::to_string(i); }},
      {"four bytes", [](std::uint64_t i) { return bytes_of(i).substr(0, 4); }},
      {"urls",
       [](std::uint64_t i) { return "https://example.org/articles/item?id=" + std::to_string(i); }},
      {"one bit of a long key",
       [](std::uint64_t i) {
         std::string key(300, 'x');
         for (std::size_t b = 0; b < 24; ++b) key[b * 12] = static_cast<char>('x' ^ ((i >> b) & 1));
         return key;
       }},
  };
}

}  // namespace bloomery::testing
