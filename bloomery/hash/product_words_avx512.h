// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "bloomery/hash/key.h"
#include "bloomery/hash/keys_avx512.h"
#include "bloomery/hash/product_hash.h"

namespace bloomery {

// The six words that ProductHash takes of a key, of eight keys at once: words[i] has the i-th of
// each. For files that are compiled for AVX-512 with VBMI; `Tag` is a type of such a file's own and
// keeps this to it.
struct WordsOfEight {
  __m512i words[6];
};

// Keys of any length: each is loaded whole, with a mask, and its words brought into order; then the
// eight are turned.
template <class Tag>
struct AnyEightKeys {
  static constexpr std::size_t kBlock = ProductHash::kBlock;

  [[gnu::always_inline]] static WordsOfEight first(const Key* keys) {
    __m512i blocks[kProductBlock];
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kProductBlock; ++i) {
      const std::size_t size = keys[i].size() < kBlock ? keys[i].size() : kBlock;
      blocks[i] =
          _mm512_permutexvar_epi8(load(kPlaces.bytes[size]), load_some(keys[i].data(), size));
    }
    return turned(blocks);
  }

  // Loads the words of the last block of keys that have more than one block; zeros for other keys.
  [[gnu::always_inline]] static WordsOfEight last(const Key* keys) {
    __m512i blocks[kProductBlock];
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kProductBlock; ++i) {
      const std::size_t size = keys[i].size();
      const std::size_t rest = size > kBlock ? kBlock : 0;
      blocks[i] = load_some(keys[i].data() + (size - rest), rest);
    }
    return turned(blocks);
  }

 private:
  // The byte of a key of so many that comes to each place of its six words.
  struct alignas(64) Places {
    unsigned char bytes[kBlock + 1][64];
  };
  static constexpr Places kPlaces = [] {
    constexpr std::size_t kWord = ProductHash::kWord;
    Places places{};
    for (std::size_t size = 0; size <= kBlock; ++size) {
      const auto from = size < kWord ? ProductHash::Places{} : ProductHash::places(size);
      for (std::size_t i = 0; i < kBlock; ++i) {
        places.bytes[size][i] = static_cast<unsigned char>(from.of[i / kWord] + i % kWord);
      }
    }
    return places;
  }();

  [[gnu::always_inline]] static WordsOfEight turned(const __m512i* keys) {
    WordsOfEight turned;
#pragma GCC unroll 2
    for (std::size_t odd = 0; odd < 2; ++odd) {
      // The words odd, odd + 2 and odd + 4 of two keys.
      const auto two = [&](std::size_t i) __attribute__((always_inline)) {
        return odd == 0 ? _mm512_unpacklo_epi64(keys[i], keys[i + 1])
                        : _mm512_unpackhi_epi64(keys[i], keys[i + 1]);
      };
      const __m512i a = two(0);
      const __m512i b = two(2);
      const __m512i c = two(4);
      const __m512i d = two(6);
      const __m512i lower = _mm512_shuffle_i64x2(a, b, 0x44);
      const __m512i upper = _mm512_shuffle_i64x2(c, d, 0x44);
      turned.words[odd] = _mm512_shuffle_i64x2(lower, upper, 0x88);
      turned.words[odd + 2] = _mm512_shuffle_i64x2(lower, upper, 0xdd);
      turned.words[odd + 4] = _mm512_shuffle_i64x2(_mm512_shuffle_i64x2(a, b, 0xee),
                                                   _mm512_shuffle_i64x2(c, d, 0xee), 0x88);
    }
    return turned;
  }
};

// Keys of kLeast bytes or more, whose words stand in pairs: loaded pair by pair to where they
// belong, they need neither masks nor turning.
template <class Tag>
struct LongEightKeys {
  static constexpr std::size_t kPair = 2 * ProductHash::kWord;
  static constexpr std::size_t kLeast = kPair;

  [[gnu::always_inline]] static WordsOfEight first(const Key* keys) {
    return words([&](std::size_t i) __attribute__((always_inline)) {
      // Signed numbers: the lesser of two takes the fewest instructions.
      constexpr std::int64_t kStep = kPair;
      constexpr std::int64_t kMost = ProductHash::kBlock - kPair;
      const std::int64_t rest = static_cast<std::int64_t>(keys[i].size()) - kStep;
      const std::int64_t last = rest < kMost ? rest : kMost;
      const char* const at = keys[i].data();
      return Pairs{{at, at + (last < kStep ? last : kStep), at + last}};
    });
  }

  // Loads the words of the last block of keys that have more than one block. The words that it
  // gives for other keys mean nothing.
  [[gnu::always_inline]] static WordsOfEight last(const Key* keys) {
    return words([&](std::size_t i) __attribute__((always_inline)) {
      const bool has = keys[i].size() > ProductHash::kBlock;
      const char* const at = keys[i].data() + (has ? keys[i].size() - ProductHash::kBlock : 0);
      const std::size_t step = has ? kPair : 0;
      return Pairs{{at, at + step, at + 2 * step}};
    });
  }

 private:
  struct Pairs {
    const char* at[3];
  };

  template <class PairsOf>
  [[gnu::always_inline]] static WordsOfEight words(PairsOf pairs_of) {
    __m512i even[3];
    __m512i odd[3];
#pragma GCC unroll 4
    for (std::size_t lane = 0; lane < 4; ++lane) {
      put(pairs_of(2 * lane), lane, even);
      put(pairs_of(2 * lane + 1), lane, odd);
    }
    WordsOfEight words;
#pragma GCC unroll 3
    for (std::size_t i = 0; i < 3; ++i) {
      words.words[2 * i] = _mm512_unpacklo_epi64(even[i], odd[i]);
      words.words[2 * i + 1] = _mm512_unpackhi_epi64(even[i], odd[i]);
    }
    return words;
  }

  [[gnu::always_inline]] static void put(const Pairs& from, std::size_t lane, __m512i* to) {
#pragma GCC unroll 3
    for (std::size_t i = 0; i < 3; ++i) {
      const __m128i pair = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from.at[i]));
      if (lane == 0) to[i] = _mm512_castsi128_si512(pair);
      if (lane == 1) to[i] = _mm512_inserti32x4(to[i], pair, 1);
      if (lane == 2) to[i] = _mm512_inserti32x4(to[i], pair, 2);
      if (lane == 3) to[i] = _mm512_inserti32x4(to[i], pair, 3);
    }
  }
};

}  // namespace bloomery
