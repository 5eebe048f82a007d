// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "bloomery/hash/hash_pair.h"
#include "bloomery/hash/integer_hash.h"
#include "bloomery/hash/key.h"

namespace bloomery {

// The first digits of pi behind its point, some 64-bit words of them left out; and the golden
// ratio.
struct ProductKeys {
  static constexpr std::uint64_t kWords[] = {0x243f6a8885a308d3, 0xa4093822299f31d0,
                                             0x452821e638d01377, 0xbe5466cf34e90c6c,
                                             0xc0ac29b7c97c50dd, 0x3f84d5b5b5470917};
  static constexpr std::uint64_t kFirst = 0x9216d5d98979fb1b;
  static constexpr std::uint64_t kSecond = 0xba7c9045f12c7f99;
  static constexpr std::uint64_t kSize = 0x9e3779b97f4a7c15;
};

// The hash of keys of any length in few instructions that every 64-bit processor has: sums of
// 128-bit products. No jump depends on the length of a key of 8 to 48 bytes: the six words that are
// read of it overlap in a shorter one, so keys of mixed lengths cost what keys of one length do.
//
// One key's words begin at bytes 0, d, m, m + d, n - 8 - d and n - 8, for d the lesser of 8 and
// n - 8, and m the lesser of 16 and n - 16, or 0. A key of fewer than 8 bytes is six times the word
// that it begins. A longer one than 48 is taken in blocks of 48, the last of which ends with it and
// may overlap the one before.
//
// ProductHash is not for keys chosen by strangers, as no unkeyed hash is: those are for secret
// filters.
//
// Part of the stored data: never change it, add another HashId.
class ProductHash {
 public:
  static constexpr std::size_t kWord = sizeof(std::uint64_t);
  static constexpr std::size_t kBlock = 6 * kWord;

  // `spread` is the seed as IntegerHash wants it, which hashes keys of eight bytes: numbers, most
  // of them, that are asked for as numbers too.
  [[gnu::always_inline]] static HashPair hash_key(Key key, std::uint64_t spread) noexcept {
    const std::size_t size = key.size();
    if (size - kWord - 1 > kBlock - kWord - 1) [[unlikely]] {
      if (size == kWord) return IntegerHash::hash(read(key.data()), spread);
      return size < kWord ? hash_short(key, spread) : hash_long(key, spread);
    }
    return finish(add_words(begin(size, spread), key.data(), size));
  }

  // Places: where the six words begin in a key of 8 to 48 bytes.
  struct Places {
    std::size_t of[6];
  };
  [[gnu::always_inline]] static constexpr Places places(std::size_t size) noexcept {
    const std::size_t last = size - kWord;
    const std::size_t step = last < kWord ? last : kWord;
    std::size_t middle = (size < 2 * kWord ? 2 * kWord : size) - 2 * kWord;
    middle = middle < 2 * kWord ? middle : 2 * kWord;
    return {{0, step, middle, middle + step, last - step, last}};
  }

 private:
  struct State {
    std::uint64_t low;
    std::uint64_t high;
  };

  struct SixWords {
    std::uint64_t words[6];
  };

  [[gnu::always_inline]] static std::uint64_t read(const char* at) noexcept {
    std::uint64_t word;
    std::memcpy(&word, at, kWord);
    return word;
  }

  [[gnu::always_inline]] static State begin(std::size_t size, std::uint64_t spread) noexcept {
    return {size * ProductKeys::kSize + spread, 0};
  }

  [[gnu::always_inline]] static State add(State state, const SixWords& of) noexcept {
    const auto factor = [&](std::size_t i) { return of.words[i] ^ ProductKeys::kWords[i]; };
    const Uint128 sum = Uint128{factor(0) ^ state.low} * factor(1) +
                        Uint128{factor(2) ^ state.high} * factor(3) +
                        Uint128{factor(4)} * factor(5);
    return {static_cast<std::uint64_t>(sum), static_cast<std::uint64_t>(sum >> 64)};
  }

  // Adds the words of a key, or of the end of one, of 8 to 48 bytes.
  [[gnu::always_inline]] static State add_words(State state, const char* at,
                                                std::size_t size) noexcept {
    const Places from = places(size);
    SixWords six;
#pragma GCC unroll 6
    for (std::size_t i = 0; i < 6; ++i) six.words[i] = read(at + from.of[i]);
    return add(state, six);
  }

  [[gnu::always_inline]] static std::uint64_t fold(std::uint64_t a, std::uint64_t b) noexcept {
    const Uint128 product = Uint128{a} * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }

  // Each half takes what the other is by now, so no two states end alike. Two times would leave a
  // bit in a hundred of a half a little uneven where numbers are counted in the middle of a text.
  [[gnu::always_inline]] static HashPair finish(State state) noexcept {
    const std::uint64_t high = state.high ^ fold(state.low, ProductKeys::kFirst);
    const std::uint64_t h1 = state.low ^ fold(high, ProductKeys::kSecond);
    return {h1, high ^ fold(h1, ProductKeys::kFirst)};
  }

  static HashPair hash_short(Key key, std::uint64_t spread) noexcept;
  static HashPair hash_long(Key key, std::uint64_t spread) noexcept;
};

inline constexpr std::size_t kProductBlock = 8;
// Hashes keys[i] into h1[i] and h2[i], i below `count`, which is at most kProductBlock. There is
// room for kProductBlock in both, which begin a line of 64 bytes. Uses the fastest of
// product_ways().
void product_hash_block(const Key* keys, std::size_t count, std::uint64_t spread, std::uint64_t* h1,
                        std::uint64_t* h2) noexcept;

// One way to compute it, for some processors.
struct ProductWay {
  std::string_view name;
  decltype(product_hash_block)* block;
};

// The ways that this processor can go, the fastest first; that in plain C++ is always last. All
// give the same hashes.
std::span<const ProductWay* const> product_ways();

}  // namespace bloomery
