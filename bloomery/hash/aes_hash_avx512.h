// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "bloomery/hash/aes_hash.h"
#include "bloomery/hash/aes_lanes_x86.h"
#include "bloomery/hash/keys_avx512.h"

namespace bloomery {

// aes_hash() for files that are compiled for AVX-512 with VAES: the four lanes of a block in one
// register, and the last rounds of four keys at once. `Tag` is a type of such a file's own and
// keeps this to it.
template <class Tag>
class AesOfEight {
  using OneLane = AesLanesX86<Tag>;
  using Single = AesHashBody<OneLane>;

 public:
  // Returns what aes_hash() does.
  static HashPair hash(Key key, std::uint64_t spread) noexcept {
    if (key.size() == sizeof(std::uint64_t)) {
      // The key was written just now, most often, and a read of a whole line would wait for it.
      std::uint64_t number;
      std::memcpy(&number, key.data(), sizeof number);
      return Single::of_number(number, spread);
    }
    __m512i lanes = load(AesKeys::kBegin);
    const char* at = key.data();
    std::size_t left = key.size();
    for (; left > kAesBytes; left -= kAesBytes, at += kAesBytes) lanes = take(lanes, load(at));
    lanes = take(lanes, load_some(at, left));
    const __m256i two =
        _mm256_xor_si256(_mm512_castsi512_si256(lanes), _mm512_extracti64x4_epi64(lanes, 1));
    const __m128i sum =
        _mm_xor_si128(_mm256_castsi256_si128(two), _mm256_extracti128_si256(two, 1));
    return Single::finish(sum, OneLane::of_words(key.size(), spread));
  }

  // hash_block, hash_numbers: aes_hash_block() and aes_hash_numbers(), inlined.
  [[gnu::always_inline]] static void hash_block(const Key* keys, std::size_t count,
                                                std::uint64_t spread, std::uint64_t* h1,
                                                std::uint64_t* h2) noexcept {
    if (count < kAesBlock) return Single::hash_each(hash, keys, count, spread, h1, h2);
    __m512i blocks[kAesBlock];
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kAesBlock; ++i) {
      blocks[i] = take(load(AesKeys::kBegin), load_some(keys[i].data(), keys[i].size()));
    }
    const __m512i sizes = sizes_of(keys);
    const __m512i spreads = _mm512_set1_epi64(static_cast<std::int64_t>(spread));
    const auto finished = [&](const __m512i* four, __m512i of) __attribute__((always_inline)) {
      return finish(_mm512_xor_si512(sums(four), in_low_halves(spreads, of)));
    };
    store(finished(blocks, sizes), finished(blocks + 4, upper_words(sizes)), h1, h2);
    // Keys of more than a block.
    unsigned longer = _mm512_cmpgt_epu64_mask(sizes, _mm512_set1_epi64(kAesBytes));
    for (; longer != 0; longer &= longer - 1) [[unlikely]] {
        const auto i = static_cast<unsigned>(__builtin_ctz(longer));
        const HashPair pair = hash(keys[i], spread);
        h1[i] = pair.h1;
        h2[i] = pair.h2;
      }
  }

  [[gnu::always_inline]] static void hash_numbers(const std::uint64_t* numbers, std::size_t count,
                                                  std::uint64_t spread, std::uint64_t* h1,
                                                  std::uint64_t* h2) noexcept {
    if (count < kAesBlock) return Single::hash_numbers(numbers, count, spread, h1, h2);
    const __m512i rest = _mm512_broadcast_i32x4(
        OneLane::of_words(sizeof(std::uint64_t) ^ AesKeys::kRest[0], spread ^ AesKeys::kRest[1]));
    const __m512i eight = load(numbers);
    store(four_numbers(eight, rest), four_numbers(upper_words(eight), rest), h1, h2);
  }

 private:
  [[gnu::always_inline]] static __m512i take(__m512i lanes, __m512i bytes) {
    lanes = _mm512_aesenc_epi128(_mm512_xor_si512(lanes, bytes), load(AesKeys::kFirst));
    lanes = _mm512_aesenc_epi128(lanes, load(AesKeys::kSecond));
    return _mm512_aesenc_epi128(lanes, load(AesKeys::kThird));
  }

  [[gnu::always_inline]] static __m128i last_key(std::size_t i) {
    return _mm_load_si128(reinterpret_cast<const __m128i*>(AesKeys::kLast + 2 * i));
  }

  // Lane i is the sum of the lanes of block i.
  [[gnu::always_inline]] static __m512i sums(const __m512i* blocks) {
    const auto add = [](__m512i a, __m512i b) __attribute__((always_inline)) {
      return _mm512_xor_si512(_mm512_shuffle_i64x2(a, b, 0x44), _mm512_shuffle_i64x2(a, b, 0xee));
    };
    const __m512i first = add(blocks[0], blocks[1]);
    const __m512i second = add(blocks[2], blocks[3]);
    return _mm512_xor_si512(_mm512_shuffle_i64x2(first, second, 0x88),
                            _mm512_shuffle_i64x2(first, second, 0xdd));
  }

  static constexpr __mmask8 kLowHalves = 0x55;

  // Words 0 to 3, each the lower half of a lane.
  [[gnu::always_inline]] static __m512i in_low_halves(__m512i high_halves, __m512i words) {
    return _mm512_mask_expand_epi64(high_halves, kLowHalves, words);
  }
  [[gnu::always_inline]] static __m512i upper_words(__m512i words) {
    return _mm512_alignr_epi64(words, words, 4);
  }

  [[gnu::always_inline]] static __m512i finish(__m512i sums) {
    for (std::size_t i = 0; i < 3; ++i) {
      sums = _mm512_aesenc_epi128(sums, _mm512_broadcast_i32x4(last_key(i)));
    }
    return sums;
  }

  // Two words of each of eight lanes.
  [[gnu::always_inline]] static void store(__m512i low, __m512i high, std::uint64_t* h1,
                                           std::uint64_t* h2) {
    const __m512i even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
    const __m512i odd = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
    _mm512_store_si512(h1, _mm512_permutex2var_epi64(low, even, high));
    _mm512_store_si512(h2, _mm512_permutex2var_epi64(low, odd, high));
  }

  // The first lane of four keys in a register; the other lanes are the same in all.
  [[gnu::always_inline]] static __m512i four_numbers(__m512i numbers, __m512i rest) {
    const auto first = [](const std::uint64_t* keys) __attribute__((always_inline)) {
      return _mm512_broadcast_i32x4(_mm_load_si128(reinterpret_cast<const __m128i*>(keys)));
    };
    __m512i lanes = in_low_halves(_mm512_setzero_si512(), numbers);
    lanes = _mm512_xor_si512(lanes, first(AesKeys::kBegin));
    lanes = _mm512_aesenc_epi128(lanes, first(AesKeys::kFirst));
    lanes = _mm512_aesenc_epi128(lanes, first(AesKeys::kSecond));
    lanes = _mm512_aesenc_epi128(lanes, first(AesKeys::kThird));
    return finish(_mm512_xor_si512(lanes, rest));
  }
};

}  // namespace bloomery
